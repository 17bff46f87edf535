# find_package(Aqueduct) of CMake: the same files for every architecture.
cmakedir = $(datadir)/cmake/Aqueduct
dist_cmake_DATA = cmake/AqueductConfig.cmake cmake/AqueductJUnit.cmake
cmake_DATA = cmake/AqueductConfigVersion.cmake
# The action of GitHub, which has to lie at the top.
EXTRA_DIST += action.yml
