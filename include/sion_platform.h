/**
 * @file sion_platform.h
 * Platform macros. `_SION_LINUX` may be given on the command line as well; it is not needed there.
 */
#ifndef SION_PLATFORM_H
#define SION_PLATFORM_H

#if defined(__linux__) && !defined(_SION_LINUX)
#define _SION_LINUX
#endif

#endif
