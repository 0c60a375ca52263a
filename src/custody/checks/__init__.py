"""Rules with reasons: guards are asked before an effect, gates after it.

A check takes values and answers; it starts nothing and writes nothing. A refusal carries a
stable code, a sentence for a person and, where there is one, the way to put it right.
"""
