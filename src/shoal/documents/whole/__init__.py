"""Outputs that are complete or absent: claimed first, made beside their place, moved in when complete.

Shoal makes NAME under three hidden names beside it. A writer claims NAME by a lock on `.NAME.shoal-lock`,
which the kernel releases when the writer dies, however it dies. `.NAME.shoal-new` is what is being made, a
file or a private folder.

A single file is moved in by one step, so at any instant it is the old one or the new one. A release is
several files with fixed names, and no single rename switches several names. So its folder gets a journal that
says what moves where and what is removed, and ONE rename, to `.NAME.shoal-done`, is the instant at which the
release is made: a kill before it leaves the old files untouched; a kill after it leaves a journal, by which
the next command on that output does the rest (`settle`). Each of these steps can be repeated, so kills during
them change nothing either.

The other way would be a folder that one link switches. OUT would then be a link into a hidden folder, which
breaks when somebody copies or sends OUT alone, and on some systems such links need special rights.
"""
