"""WfFormat, the JSON of the WfCommons project: recorded workflows in, recorded workflows out.

Versions 1.5 and 1.6 tell what is to be done (``specification``) from what happened (``execution``); those before have
both in one list. https://github.com/wfcommons/WfFormat describes the properties.
"""
