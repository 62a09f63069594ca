# Three tools that treat the files of a container as one.
bin_PROGRAMS += sioncp sionmv sionrm
noinst_LTLIBRARIES += liblayer_sionmv.la
liblayer_sionmv_la_SOURCES = utils/sionmv/copy.c utils/sionmv/copy.h utils/sionmv/files.c \
	utils/sionmv/files.h utils/sionmv/place.c utils/sionmv/place.h
sioncp_SOURCES = utils/sionmv/sioncp.c
sioncp_LDADD = liblayer_sionmv.la $(tool_layers)
sionmv_SOURCES = utils/sionmv/sionmv.c
sionmv_LDADD = liblayer_sionmv.la $(tool_layers)
sionrm_SOURCES = utils/sionmv/sionrm.c
sionrm_LDADD = liblayer_sionmv.la $(tool_layers)
if HAVE_CHECKSUM
sionrm_LDADD += libsionchecksum_64.la $(CHECKSUM_LIBS)
endif
