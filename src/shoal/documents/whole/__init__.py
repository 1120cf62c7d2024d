"""Outputs that are whole or not there: claimed first, made beside their place, moved in when complete.

What Shoal writes for NAME is made under three hidden names beside it. A writer claims NAME by a lock on
`.NAME.shoal-lock`, which the kernel lets go of when the writer dies, however it dies. `.NAME.shoal-new` is
what is being made, a file or a private folder.

A single file is moved in by one step, so it is the old one or the new one at any instant. A release is
several files whose names are fixed, and no single rename switches several names. So its folder gets a journal
that says what moves where and what goes, and ONE rename, to `.NAME.shoal-done`, is the instant at which the
release is made: a kill before it leaves the old files untouched, a kill after it leaves a journal from which
the rest is done by the next command on that output (`settle`). Each step of the rest may be taken again, so
kills while it is done change nothing either.

A folder that is switched by one link was the other way. It would make OUT a link into a hidden folder, which
breaks when somebody copies or sends OUT alone, and such links need rights on some systems.
"""
