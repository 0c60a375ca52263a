# Checks and extracts a layout that magic has loaded. Written for magic 8.3.
# magic says much in words only: what is not as it should be becomes an error here.

namespace eval ::layout_check {

proc table {file rows} {
    foreach {name value unit} $rows {
        puts $file [format "%-12s %12s %s" $name $value $unit]
    }
}

# Return the devices of a netlist: lines that begin with M, X, Q, D, R, C or J.
proc devices {path} {
    set count 0
    set file [open $path r]
    while {[gets $file line] >= 0} {
        incr count [regexp {^[MXQDRCJ]\S} $line]
    }
    close $file
    return $count
}

set top [file rootname [file tail $::env(SP_ENC_PATH)]]
set reports $::env(SP_REPORTS_DIR)
if {[cellname list exists $top] ne $top} {
    error "there is no cell $top: it is the name of the .enc file that counts"
}
if {[tech name] eq "minimum"} {
    error "no technology was loaded, so there are no rules to check by"
}
if {[info exists ::drc_style]} {
    drc style $::drc_style
    if {[drc list style] ne $::drc_style} {
        error "the technology has no DRC style $::drc_style"
    }
}

load $top
select top cell
expand
foreach {left bottom right top_edge} [box values] {}
set area [expr {($right - $left) * ($top_edge - $bottom)}]
drc check
drc catchup
set errors [drc list count total]
# Some errors are marked beside what is drawn.
box values [expr {$left - 1000}] [expr {$bottom - 1000}] [expr {$right + 1000}] \
    [expr {$top_edge + 1000}]
set kinds [drc listall why]

# Files of the extraction belong to where the cell is; for this session that is the folder of reports.
cd $reports
foreach cell [cellname list allcells] {
    cellname filepath $cell $reports
}
extract all
ext2spice lvs
ext2spice $top
if {![file exists $top.spice] || ![file size $top.spice]} {
    error "nothing was extracted"
}
set devices [devices $top.spice]

set report [open [file join $reports drc.rpt] w]
puts $report "technology [tech name], style [drc list style], cell $top"
puts $report "$errors errors"
foreach {kind places} $kinds {
    puts $report "[llength $places] $kind"
}
close $report
set report [open [file join $reports layout_check.rpt] w]
table $report [list drc_errors $errors "" devices $devices "" area $area "lambda^2"]
close $report
::custody::write_metrics [dict create drc_errors $errors devices $devices area $area]

}
