"""The limits of a stage: what a line of commands takes is measured, and ended when it is too much.

A control group keeps them where one can be had; meters look at the rest a few times a second.
"""
