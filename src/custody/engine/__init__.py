"""What happens next: decisions as pure functions, and the loop that carries them out.

``route`` chooses the next node, ``retry`` whether to try again, ``recording`` is the journal as the
loop sees it (recorded facts first, then new ones), ``effects`` the only impure step, and
``loop`` puts them together. Run, resume, replay and fork are the same loop on another recording.
"""
