"""DAX, the XML of the Pegasus workflow system, versions 2 and 3: workflows in, workflows out."""
