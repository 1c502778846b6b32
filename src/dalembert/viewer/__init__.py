"""Pages: one HTML file with the machine moving, its plots and its reports.  It asks nothing of the network.

show.py     writes the page, opens it
page.py     puts template, style, scripts and data together
opening.py  first plots, and what is rounding
scene.py    what is drawn: bodies, joints, force elements as plain numbers; path_scene.py of Lagrangian systems, drawn.py what both share
fittings.py symbols in space, with their sizes in metres
gears.py    teeth that mesh
pose.py     where all bodies are at one instant
solids.py   bodies in space as solids, for shading
shapes.py   mode shapes as tables
tables.py   what is written beside it: audit, mobility, reactions, parameters
packing.py  numbers and names in a form that a page can carry safely
static/     template, style and scripts of the page
"""
