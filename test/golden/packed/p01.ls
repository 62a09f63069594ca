drwxr-xr-x      0              0 2020-09-13 12:26 case
drwxr-xr-x      0              0 2023-11-14 22:13 case/00000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000003
-rw-r--r--      0             12 2023-11-14 22:13 case/00000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000003/00000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000003
-rwxr-xr-x      0             10 2023-11-14 22:13 case/Allrun
drwxr-xr-x      0              0 2023-11-14 22:13 case/constant
-rw-r--r--      1              5 2020-09-13 12:26 case/constant/mesh
prw-r--r--      1              0 2023-11-14 22:13 case/pipe
drwxr-xr-x      1              0 2023-11-14 22:13 case/processor0
drwxr-xr-x      1              0 2023-11-14 22:13 case/processor0/0.1
-rw-r--r--      1             24 2023-11-14 22:13 case/processor0/0.1/U
-rw-------      2              0 2023-11-14 22:13 case/processor0/0.1/phi
lrwxrwxrwx      2              0 2023-11-14 22:13 case/processor0/constant -> ../constant
drwxr-xr-x      2              0 2023-11-14 22:13 case/processor1
drwxr-xr-x      2              0 2023-11-14 22:13 case/processor1/0.1
-rw-r--r--      2             24 2023-11-14 22:13 case/processor1/0.1/U
-rw-r--r--      2              0 2023-11-14 22:13 case/processor1/0.1/phi
hrw-r--r--      2              0 2020-09-13 12:26 case/processor1/mesh link to case/constant/mesh
