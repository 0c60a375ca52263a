"""The attributes that Graphviz understands, by what they may stand on.

A run looks at none of them but those that the language has too (``label``, ``shape``, ``weight``).
``graph`` statements give defaults to clusters as well, so what a cluster or a subgraph may have
counts as the graph's. Compared with Graphviz's reference of attributes, version 12.
"""

from __future__ import annotations

from typing import Final

_GRAPH: Final = """
_background bb beautify bgcolor center charset class clusterrank colorscheme comment compound
concentrate Damping defaultdist dim dimen diredgeconstraints dpi epsilon esep fontcolor fontname
fontnames fontpath fontsize forcelabels gradientangle href id imagepath inputscale K label
label_scheme labeljust labelloc landscape layerlistsep layers layerselect layersep layout levels
levelsgap lheight linelength lp lwidth margin maxiter mclimit mindist mode model newrank nodesep
nojustify normalize notranslate nslimit nslimit1 oneblock ordering orientation outputorder overlap
overlap_scaling overlap_shrink pack packmode pad page pagedir quadtree quantum rankdir ranksep ratio
remincross repulsiveforce resolution root rotate rotation scale searchsize sep showboxes size
smoothing sortv splines start style stylesheet target TBbalance truecolor URL viewport voro_margin
xdotversion
"""
_CLUSTER: Final = "area cluster color fillcolor layer pencolor penwidth peripheries rank tooltip"
_NODE: Final = """
area class color colorscheme comment distortion fillcolor fixedsize fontcolor fontname fontsize
gradientangle group height href id image imagepos imagescale label labelloc layer margin nojustify
ordering orientation penwidth peripheries pin pos rects regular root samplepoints shape shapefile
showboxes sides skew sortv style target tooltip URL vertices width xlabel xlp z
"""
_EDGE: Final = """
arrowhead arrowsize arrowtail class color colorscheme comment constraint decorate dir edgehref
edgetarget edgetooltip edgeURL fillcolor fontcolor fontname fontsize head_lp headclip headhref
headlabel headport headtarget headtooltip headURL href id label labelangle labeldistance labelfloat
labelfontcolor labelfontname labelfontsize labelhref labeltarget labeltooltip labelURL layer len
lhead lp ltail minlen nojustify penwidth pos radius samehead sametail showboxes style tail_lp
tailclip tailhref taillabel tailport tailtarget tailtooltip tailURL target tooltip URL weight xlabel
xlp
"""

GRAPH: Final = frozenset(f"{_GRAPH} {_CLUSTER}".split())
"""Of the graph, and of the clusters that it gives defaults to."""
NODE: Final = frozenset(_NODE.split())
EDGE: Final = frozenset(_EDGE.split())
EVERYWHERE: Final = GRAPH | NODE | EDGE
