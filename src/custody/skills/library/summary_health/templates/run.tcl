# How healthy a design is that OpenSTA has restored: cells, area, slack, unconstrained endpoints.
# Written for OpenSTA 2.0.17. Everything it reports is computed before the first file is
# written, so that a report is whole or not there.

namespace eval ::summary_health {

# Return the area of each cell of a liberty file.
proc areas_of {path} {
    array set areas {}
    set cell ""
    set file [open $path r]
    while {[gets $file line] >= 0} {
        if {[regexp {\mcell\s*\(\s*"?([^"\s)]+)"?\s*\)} $line -> name]} {
            set cell $name
        }
        if {$cell ne "" && [regexp {\marea\s*:\s*"?([-+0-9.eE]+)"?} $line -> area]} {
            set areas($cell) $area
            set cell ""
        }
    }
    close $file
    return [array get areas]
}

# Return where a file is that the design has named from its own folder.
proc placed {path} {
    if {[file exists $path]} {
        return $path
    }
    return [file join [file dirname $::env(SP_ENC_PATH)] $path]
}

# Return how many cells the design has, and their area.
proc cells_and_area {} {
    array set areas {}
    foreach library [get_libs *] {
        array set areas [areas_of [placed [get_property $library filename]]]
    }
    set count 0
    set total 0.0
    foreach cell [get_cells -hierarchical *] {
        set kind [get_property $cell ref_name]
        if {[info exists areas($kind)]} {
            incr count
            set total [expr {$total + $areas($kind)}]
        } elseif {[llength [get_lib_cells -quiet */$kind]]} {
            error "the cell $kind of [get_property $cell full_name] has no area in its library"
        } elseif {![is_module $cell]} {
            error "[get_property $cell full_name] is a $kind, which no library has"
        }
    }
    return [list $count $total]
}

# Tell whether an instance has others inside.
proc is_module {cell} {
    set name [get_property $cell full_name]
    return [expr {[llength [get_cells -quiet -hierarchical $name/*]] > 0}]
}

# Return how many endpoints no constraint reaches.
proc unconstrained {} {
    with_output_to_variable said {check_setup -unconstrained_endpoints}
    if {[regexp {(?:is|are) (\d+) unconstrained endpoint} $said -> count]} {
        return $count
    }
    return 0
}

proc exact {number} {
    if {![string is double -strict $number] || $number != $number || abs($number) > 1e15} {
        error "a figure is $number: there is no path to time, or no clock"
    }
    return [format %.6f $number]
}

proc table {file rows} {
    foreach {name value unit} $rows {
        puts $file [format "%-14s %16s %s" $name $value $unit]
    }
}

foreach {cells area} [cells_and_area] {}
set clocks [llength [all_clocks]]
set worst [exact [worst_slack -max]]
set wns [exact [worst_negative_slack -max]]
set tns [exact [total_negative_slack -max]]
set open_ends [unconstrained]
set area [exact $area]
with_output_to_variable paths {report_checks -path_delay max}

set report [open [file join $::env(SP_REPORTS_DIR) timing.rpt] w]
puts $report $paths
close $report
set report [open [file join $::env(SP_REPORTS_DIR) summary_health.rpt] w]
table $report [list cells $cells "" area $area "" clocks $clocks "" worst_slack $worst ns \
    wns $wns ns tns $tns ns unconstrained $open_ends ""]
close $report
::custody::write_metrics [dict create cells $cells area $area clocks $clocks \
    worst_slack $worst wns $wns tns $tns unconstrained $open_ends]

}
