# How healthy a design is that Innovus has restored: cells, area, slack, unconstrained endpoints.
# Written to the documented commands of Innovus, and not run on it: see README.md.

namespace eval ::summary_health {

# Return the first match of a pattern in a text; an error where there is none.
proc found {text pattern what} {
    if {![regexp -line $pattern $text -> figure]} {
        error "$what is not where it was expected"
    }
    return $figure
}

proc content {path} {
    set file [open $path r]
    set text [read $file]
    close $file
    return $text
}

proc exact {number} {
    if {![string is double -strict $number] || $number != $number || abs($number) > 1e15} {
        error "a figure is $number: there is no path to time, or no clock"
    }
    return [format %.6f $number]
}

# Return the slack of each endpoint that is under a bound, the worst path of each.
proc slacks {args} {
    set slacks {}
    foreach_in_collection path [report_timing -collection -late -nworst 1 {*}$args] {
        lappend slacks [get_property $path slack]
    }
    return $slacks
}

proc table {file rows} {
    foreach {name value unit} $rows {
        puts $file [format "%-14s %16s %s" $name $value $unit]
    }
}

set reports $::env(SP_REPORTS_DIR)
set gates_report [file join $reports gate_count.rpt]
set check_report [file join $reports check_timing.rpt]
reportGateCount -level 0 -outfile $gates_report
redirect $check_report {check_timing -check_only uncons_endpoint}
redirect [file join $reports timing.rpt] {report_timing -late -max_paths 10 -nworst 1}

set gates [content $gates_report]
set cells [found $gates {Cells=\s*(\d+)} "the number of cells"]
set area [exact [found $gates {Area=\s*([0-9.]+)} "the area"]]
set worst [exact [lindex [slacks -max_paths 1] 0]]
set tns 0.0
foreach slack [slacks -max_slack 0 -max_paths 1000000] {
    set tns [expr {$tns + $slack}]
}
set tns [exact $tns]
set wns [exact [expr {min(0.0, $worst)}]]
set check [content $check_report]
set open_ends 0
regexp -line {uncons_endpoint.*\m(\d+)\s*\|?\s*$} $check -> open_ends

set report [open [file join $reports summary_health.rpt] w]
table $report [list cells $cells "" area $area um^2 worst_slack $worst ns wns $wns ns tns $tns ns \
    unconstrained $open_ends ""]
close $report
::custody::write_metrics [dict create cells $cells area $area worst_slack $worst wns $wns tns $tns \
    unconstrained $open_ends]

}
