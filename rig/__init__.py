"""rig: is this compress core right, small and cheap on the machines I do not own?"""

__version__ = "0.1.0"
