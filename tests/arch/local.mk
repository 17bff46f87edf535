# Rules of the tree, tested.
