# Images and samplers of the extension.
src_dropin_hsa_libaqdropin_a_SOURCES += \
	src/dropin/hsa/image/image_descriptors.c \
	src/dropin/hsa/image/ext_image_copies.c \
	src/dropin/hsa/image/ext_image_formats.c \
	src/dropin/hsa/image/ext_image_formats.h \
	src/dropin/hsa/image/ext_image_orders.def \
	src/dropin/hsa/image/ext_images.c \
	src/dropin/hsa/image/ext_samplers.c \
	src/dropin/hsa/image/exts.c
