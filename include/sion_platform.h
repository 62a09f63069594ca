/**
 * @file sion_platform.h
 * Platform macros. `_SION_LINUX` may be given on the command line as well; it is not needed there.
 */
#ifndef SION_PLATFORM_H
#define SION_PLATFORM_H

#if defined(__linux__) && !defined(_SION_LINUX)
#define _SION_LINUX
#endif

/* A name that is not changed. C programs see the declarations of SIONlib; in C++, a literal is
 * const. */
#ifdef __cplusplus
#define SION_NAME const char
#else
#define SION_NAME char
#endif

#endif
