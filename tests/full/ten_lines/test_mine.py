def test_mine(rig_check):
    rig_check.require()
