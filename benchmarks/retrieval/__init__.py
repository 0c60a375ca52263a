"""Retrieval: corpora of real changes, and who searches them.

histories   the changes of a git repository, or of a folder of patches
corpus      what is indexed of them and what is asked, without what would give answers away
judge       figures of ranks, and how sure they are
debian      the patches of Debian's packages, as a folder of patches
files       pieces of the files of this machine: many, for times and sizes only
"""
