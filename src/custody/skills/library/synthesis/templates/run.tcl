# Maps a design that yosys has read to the liberty files of its folder. Written for yosys 0.23.
# A command of yosys that fails may end yosys itself: what it said stands last in its log.

namespace eval ::synthesis {

# Return what stands behind the last match of a pattern in a report, or what stands for none.
proc figure {text pattern none} {
    set found [lindex [regexp -all -inline -line $pattern $text] end]
    return [expr {$found eq "" ? $none : $found}]
}

proc content {path} {
    set file [open $path r]
    set text [read $file]
    close $file
    return $text
}

# Return how many cells of the statistics are gates of yosys' own.
proc unmapped {text} {
    set count 0
    foreach {line number} [regexp -all -inline -line {^\s+\$\S+\s+(\d+)\s*$} $text] {
        incr count $number
    }
    return $count
}

proc flip_flops {text kinds} {
    set count 0
    foreach {line kind number} [regexp -all -inline -line {^\s+(\S+)\s+(\d+)\s*$} $text] {
        if {$kind in $kinds} {
            incr count $number
        }
    }
    return $count
}

# Return the cells of a liberty file that have a group `ff` or `latch`.
proc registers {path} {
    set kinds {}
    set cell ""
    foreach line [split [content $path] \n] {
        regexp {\mcell\s*\(\s*"?([^"\s)]+)"?\s*\)} $line -> cell
        if {[regexp {\m(?:ff|latch)\s*\(} $line] && $cell ni $kinds} {
            lappend kinds $cell
        }
    }
    return $kinds
}

set top [file rootname [file tail $::env(SP_ENC_PATH)]]
set reports $::env(SP_REPORTS_DIR)
set libraries [lsort [glob -directory $::env(SP_ENC_DAT_PATH) *.lib]]
set to {}
set kinds {}
foreach library $libraries {
    lappend to -liberty $library
    lappend kinds {*}[registers $library]
}

yosys synth -top $top -flatten
yosys dfflibmap {*}[lrange $to 0 1]
yosys abc {*}$to
yosys opt_clean -purge
foreach library $libraries {
    yosys read_liberty -lib -ignore_miss_func $library
}
yosys tee -q -o [file join $reports check.rpt] check
yosys tee -o [file join $reports synthesis.rpt] stat {*}$to
yosys write_verilog -noattr [file join $reports netlist.v]

set stat [content [file join $reports synthesis.rpt]]
set check [content [file join $reports check.rpt]]
::custody::write_metrics [dict create \
    cells [figure $stat {Number of cells:\s+(\d+)} 0] \
    area [figure $stat {Chip area for (?:top )?module .*: ([0-9.]+)} 0] \
    flip_flops [flip_flops $stat $kinds] \
    unmapped [unmapped $stat] \
    problems [figure $check {[Ff]ound and reported (\d+) problems} none]]

}
