# The executor inside a tool: takes requests from a folder, sources their scripts, writes acks.
#
# One file without packages, for any tool with Tcl 8.5 or newer: the tool is started with it, and it
# stays until state/stop is there, its lease is over or it was fenced. What it reads and writes, its
# variables (SP_*) and its codes stand in docs/reference/tool-sessions.md of custody.
#
# The loop lives in an interpreter of its own. There all commands are Tcl's, whatever a tool or a
# script has renamed or replaced in the tool's interpreter, and no variable is shared. Scripts run in
# the tool's interpreter, from its top level. That keeps scripts from breaking the loop by accident;
# one that means harm is confined by the kernel, and its ack is not believed alone.

interp create custody_loop
if {[llength [info commands ::tcl::namespace::eval]]} {
    interp alias custody_loop in_tool {} ::tcl::namespace::eval ::
} else {
    interp alias custody_loop in_tool {} ::namespace eval ::
}

interp eval custody_loop {

variable LIMIT 1048576 ;# bytes of a request
variable DEPTH 64      ;# arrays and objects within each other
variable LONGEST 400   ;# digits of a number, and more than any finite one has
variable MESSAGE 2000  ;# characters of an ack's message
variable ROUNDS 100    ;# how often it is idle after a script, where what waits makes more wait
variable SETTLING 35   ;# looks after which a folder that has not changed is not listed any more
variable FORCED 140    ;# looks after which it is listed all the same
variable SLOWER 5      ;# how much less often is looked once the FIFO has proved to work

# ---------------------------------------------------------------- JSON
# A value is a pair of its type and what it holds. Whatever is not strict JSON is refused by a code.

proc refuse {code why} {
    error $why "" [list CUSTODY $code]
}

proc json_text {bytes} {
    variable LIMIT
    if {[string length $bytes] > $LIMIT} {
        refuse too_large "more than $LIMIT bytes"
    }
    if {[string range $bytes 0 2] eq "\xef\xbb\xbf"} {
        refuse json "it begins with a byte order mark"
    }
    if {[regexp {[\x80-\xff]} $bytes] && ![regexp {(?x)\A (?: [\x00-\x7f]
            | [\xc2-\xdf][\x80-\xbf] | \xe0[\xa0-\xbf][\x80-\xbf]
            | [\xe1-\xec\xee\xef][\x80-\xbf][\x80-\xbf] | \xed[\x80-\x9f][\x80-\xbf]
            | \xf0[\x90-\xbf][\x80-\xbf][\x80-\xbf] | [\xf1-\xf3][\x80-\xbf][\x80-\xbf][\x80-\xbf]
            | \xf4[\x80-\x8f][\x80-\xbf][\x80-\xbf] )* \Z} $bytes]} {
        refuse encoding "it is not UTF-8"
    }
    return [encoding convertfrom utf-8 $bytes]
}

proc json_read {bytes} {
    set text [json_text $bytes]
    set at 0
    set value [json_value $text at 0]
    json_blank $text at
    if {$at != [string length $text]} {
        refuse json "something follows the value, at character $at"
    }
    return $value
}

proc json_blank {text name} {
    upvar 1 $name at
    if {[regexp -start $at -indices {\A[ \t\r\n]+} $text found]} {
        set at [expr {[lindex $found 1] + 1}]
    }
}

proc json_value {text name depth} {
    variable DEPTH
    upvar 1 $name at
    if {$depth > $DEPTH} {
        refuse json "nested deeper than $DEPTH"
    }
    json_blank $text at
    switch -- [string index $text $at] {
        \{ { return [json_members $text at $depth] }
        \[ { return [json_items $text at $depth] }
        \" { return [list string [json_string $text at]] }
    }
    foreach {word value} {true {boolean 1} false {boolean 0} null {null {}}} {
        if {[string range $text $at [expr {$at + [string length $word] - 1}]] eq $word} {
            incr at [string length $word]
            return $value
        }
    }
    return [list number [json_number $text at]]
}

proc json_number {text name} {
    variable LONGEST
    upvar 1 $name at
    set number {\A-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?}
    if {![regexp -start $at $number $text found]} {
        refuse json "no value, at character $at"
    }
    set long [string length $found]
    if {$long > $LONGEST || [catch {expr {double($found)}} value]
            || !(abs($value) <= 1.7976931348623157e308)} {
        refuse json "a number that cannot be, at character $at"
    }
    incr at $long
    return $found
}

proc json_string {text name} {
    upvar 1 $name at
    if {![regexp -start $at -indices {\A"(?:[^"\\\x00-\x1f]|\\.)*"} $text found]} {
        refuse json "a string without an end, or with a control character, at character $at"
    }
    set inner [string range $text [expr {$at + 1}] [expr {[lindex $found 1] - 1}]]
    set at [expr {[lindex $found 1] + 1}]
    if {[string first \\ $inner] < 0} {
        return $inner
    }
    return [json_unescape $inner]
}

proc json_unescape {text} {
    array set plain [list \" \" \\ \\ / / b \b f \f n \n r \r t \t]
    set out ""
    set from 0
    set escape {\\(?:u([0-9a-fA-F]{4})|([^u])|(u))}
    foreach {whole hex char bad} [regexp -all -inline -indices -- $escape $text] {
        foreach {first last} $whole {}
        append out [string range $text $from [expr {$first - 1}]]
        set from [expr {$last + 1}]
        if {[lindex $hex 0] >= 0} {
            lappend codes [set code [scan [string range $text {*}$hex] %x]]
            append out [format %c $code]
            continue
        }
        set char [string range $text {*}$char]
        if {[lindex $bad 0] >= 0 || ![info exists plain($char)]} {
            refuse json "an escape that is none"
        }
        append out $plain($char)
    }
    append out [string range $text $from end]
    if {[regexp {(?i)\\ud[89ab][0-9a-f]{2}(?!\\ud[c-f])} [string map {\\\\ ""} $text]]
            || [regexp {(?i)(?:\A|[^\\]|\\(?!ud[89ab])....?)\\ud[c-f]} [pairs_removed $text]]} {
        refuse encoding "half a surrogate pair"
    }
    return $out
}

# Return a text with backslashes and whole surrogate pairs taken out.
proc pairs_removed {text} {
    set text [string map {\\\\ ""} $text]
    return [regsub -all -nocase {\\ud[89ab][0-9a-f]{2}\\ud[c-f][0-9a-f]{2}} $text ""]
}

proc json_items {text name depth} {
    upvar 1 $name at
    incr at
    set items {}
    json_blank $text at
    if {[string index $text $at] eq "\]"} {
        incr at
        return [list array $items]
    }
    while 1 {
        lappend items [json_value $text at [expr {$depth + 1}]]
        if {[json_next $text at \]]} {
            return [list array $items]
        }
    }
}

proc json_members {text name depth} {
    upvar 1 $name at
    incr at
    set members [dict create]
    json_blank $text at
    if {[string index $text $at] eq "\}"} {
        incr at
        return [list object $members]
    }
    while 1 {
        json_blank $text at
        if {[string index $text $at] ne "\""} {
            refuse json "no name, at character $at"
        }
        set key [json_string $text at]
        if {[dict exists $members $key]} {
            refuse duplicate_key "`$key` is there twice"
        }
        json_blank $text at
        if {[string index $text $at] ne ":"} {
            refuse json "no colon, at character $at"
        }
        incr at
        dict set members $key [json_value $text at [expr {$depth + 1}]]
        if {[json_next $text at \}]} {
            return [list object $members]
        }
    }
}

# Go past a comma, or past the closing bracket; tell whether it was the bracket.
proc json_next {text name closing} {
    upvar 1 $name at
    json_blank $text at
    set char [string index $text $at]
    if {$char ne "," && $char ne $closing} {
        refuse json "neither a comma nor a closing bracket, at character $at"
    }
    incr at
    return [expr {$char eq $closing}]
}

# Return a text as JSON in ASCII; halves of surrogate pairs become U+FFFD.
proc json_quoted {text} {
    set text [string map [list \\ \\\\ \" \\\" \n \\n \r \\r \t \\t] $text]
    if {![regexp {[^\x20-\x7e]} $text]} {
        return "\"$text\""
    }
    set out ""
    set high ""
    foreach char [split $text ""] {
        scan $char %c code
        if {$high ne ""} {
            if {$code >= 0xdc00 && $code <= 0xdfff} {
                append out [format {\u%04x\u%04x} $high $code]
                set high ""
                continue
            }
            append out {\ufffd}
            set high ""
        }
        if {$code > 0xffff} {
            set code [expr {$code - 0x10000}]
            append out [format {\u%04x\u%04x} [expr {0xd800 + ($code >> 10)}] \
                [expr {0xdc00 + ($code & 0x3ff)}]]
        } elseif {$code >= 0xd800 && $code <= 0xdbff} {
            set high $code
        } elseif {$code >= 0xdc00 && $code <= 0xdfff} {
            append out {\ufffd}
        } elseif {$code < 0x20 || $code > 0x7e} {
            append out [format {\u%04x} $code]
        } else {
            append out $char
        }
    }
    return "\"$out[expr {$high eq "" ? "" : {\ufffd}}]\""
}

# Return the members of a dictionary as JSON, each of the type that is named for it.
#
# Without a type, what reads as a finite number becomes one, everything else a string. Types are
# string, number, boolean, strings (a list of them) and json (which is taken as it is).
proc json_object {members {types {}}} {
    set parts {}
    dict for {key value} $members {
        set type [expr {[dict exists $types $key] ? [dict get $types $key] : "any"}]
        lappend parts "[json_quoted $key]: [json_typed $type $value]"
    }
    return "\{[join $parts {, }]\}"
}

proc json_typed {type value} {
    switch -- $type {
        string { return [json_quoted $value] }
        boolean { return [expr {$value ? "true" : "false"}] }
        json { return $value }
        strings {
            set parts {}
            foreach each $value {
                lappend parts [json_quoted $each]
            }
            return "\[[join $parts {, }]\]"
        }
    }
    set number [plain_number $value]
    if {$number ne ""} {
        return $number
    }
    if {$type eq "number"} {
        error "\"$value\" is no finite number"
    }
    return [json_quoted $value]
}

# Return a decimal number as JSON spells it; empty for what is none.
proc plain_number {value} {
    set value [string trim $value]
    set shape {\A([-+]?)([0-9]*)(?:\.([0-9]*))?(?:[eE]([-+]?[0-9]+))?\Z}
    if {![regexp $shape $value -> sign whole part power] || "$whole$part" eq ""} {
        return ""
    }
    set number [expr {$sign eq "-" ? "-" : ""}][expr {
        [set short [string trimleft $whole 0]] eq "" ? "0" : $short}]
    if {$part ne ""} {
        append number .$part
    }
    if {$power ne ""} {
        append number e$power
    }
    if {[catch {expr {double($number)}} double] || !(abs($double) <= 1.7976931348623157e308)} {
        return ""
    }
    return $number
}

# ---------------------------------------------------------------- files

# Return a moment as ISO 8601 in UTC. Tcl's own way of doing it is a script that tools can break.
proc iso {milliseconds} {
    set seconds [expr {$milliseconds / 1000}]
    set days [expr {$seconds / 86400 + 719468}]
    set rest [expr {$seconds % 86400}]
    set era [expr {$days / 146097}]
    set day [expr {$days - $era * 146097}]
    set year [expr {($day - $day / 1460 + $day / 36524 - $day / 146096) / 365}]
    set day [expr {$day - (365 * $year + $year / 4 - $year / 100)}]
    set month [expr {(5 * $day + 2) / 153}]
    set day [expr {$day - (153 * $month + 2) / 5 + 1}]
    incr year [expr {$era * 400 + ($month >= 10)}]
    set month [expr {$month < 10 ? $month + 3 : $month - 9}]
    return [format %04d-%02d-%02dT%02d:%02d:%02d.%03dZ $year $month $day [expr {$rest / 3600}] \
        [expr {$rest / 60 % 60}] [expr {$rest % 60}] [expr {$milliseconds % 1000}]]
}

proc now {} {
    return [clock milliseconds]
}

proc part_of {path} {
    variable token
    return [file join [file dirname $path] .[file tail $path].$token.[pid].part]
}

proc write_file {path text} {
    set file [open $path w]
    set failed [catch {
        fconfigure $file -translation lf -encoding utf-8
        puts $file $text
    } why]
    if {[catch {close $file} late] || $failed} {
        error [expr {$failed ? $why : $late}]
    }
}

# Write a file that appears whole; what was there is replaced.
proc replace_file {path text} {
    set part [part_of $path]
    write_file $part $text
    file rename -force -- $part $path
}

# Write a file that appears whole and only once; tell whether this was the first.
proc publish {path text} {
    set part [part_of $path]
    write_file $part $text
    set failed [catch {file link -hard $path $part} why]
    file delete -- $part
    if {!$failed} {
        return 1
    }
    if {[catch {file lstat $path there}]} {
        error $why
    }
    return 0
}

proc is_there {path} {
    return [expr {![catch {file lstat $path there}]}]
}

proc read_bytes {path limit} {
    set file [open $path {RDONLY NONBLOCK}]
    fconfigure $file -translation binary -blocking 1
    set failed [catch {read $file $limit} bytes]
    close $file
    if {$failed} {
        error $bytes
    }
    return $bytes
}

# Return where a path really leads, its last component too, which `file normalize` leaves as it is.
proc real_path {path} {
    return [file dirname [file normalize [file join $path __x__]]]
}

proc say {text} {
    catch {
        puts stderr "@@custody $text"
        flush stderr
    }
}

# ---------------------------------------------------------------- requests

proc field {request name type} {
    if {![dict exists $request $name]} {
        refuse missing "it has no `$name`"
    }
    foreach {found value} [dict get $request $name] {}
    if {$found ne $type} {
        refuse type "`$name` is of type $found, not $type"
    }
    return $value
}

# Return the script of a request as `scripts/<name>.tcl`; refuse whatever is not as it must be.
proc checked_request {bytes id} {
    foreach {type request} [json_read $bytes] {}
    if {$type ne "object"} {
        refuse type "it is of type $type, not object"
    }
    if {[field $request schema_version string] ne "1.0"} {
        refuse schema "its schema_version is not 1.0"
    }
    set action [field $request action string]
    if {$action ne "SOURCE_TCL"} {
        refuse action "the action is not SOURCE_TCL"
    }
    set script [field $request script string]
    checked_script $script
    if {[field $request request_id string] ne $id} {
        refuse id "request_id is not the name of the file"
    }
    checked_job [field $request job_id string]
    field $request created_at string
    checked_options $request
    return $script
}

proc checked_job {job} {
    variable job_id
    if {![is_id $job]} {
        refuse id "job_id is not of letters, digits, `_`, `.` and `-`"
    }
    if {$job_id ne "" && $job ne $job_id} {
        refuse job "it belongs to another job"
    }
}

proc checked_options {request} {
    if {[dict exists $request timeout_s]} {
        set seconds [field $request timeout_s number]
        if {$seconds <= 0 || $seconds > 1e9} {
            refuse range "timeout_s is not above 0 and at most 1e9"
        }
    }
    if {[dict exists $request script_sha256]
            && ![regexp {\A[0-9a-f]{64}\Z} [field $request script_sha256 string]]} {
        refuse sha256 "script_sha256 is not 64 hexadecimal digits"
    }
}

proc is_id {text} {
    return [regexp {\A[A-Za-z0-9_][A-Za-z0-9_.-]{0,199}\Z} $text]
}

proc checked_script {script} {
    set path "invalid script path"
    if {[regexp {[\x00-\x1f\x7f]} $script]} {
        refuse control "$path: a control character"
    }
    if {[string index $script 0] eq "/"} {
        refuse absolute "$path: it is absolute"
    }
    if {[regexp {[^A-Za-z0-9_./-]} $script]} {
        refuse charset "$path: other characters than letters, digits, `_`, `.` and `-`"
    }
    if {[string first .. $script] >= 0} {
        refuse traversal "$path: `..`"
    }
    if {[string range $script 0 7] ne "scripts/"} {
        refuse prefix "$path: it does not begin with scripts/"
    }
    if {[string first / $script 8] >= 0} {
        refuse depth "$path: not directly in scripts/"
    }
    if {![regexp {\Ascripts/[A-Za-z0-9_][A-Za-z0-9_.-]{0,199}\Z} $script]
            || ![string match *.tcl $script]} {
        refuse name "$path: not scripts/<name>.tcl"
    }
}

# Return where a script lies; refuse one that leads out of scripts/, or is no plain file.
proc located {script} {
    variable scripts_dir
    set path [file join $scripts_dir [string range $script 8 end]]
    if {![is_there $path]} {
        refuse absent "$script is not there"
    }
    set real [real_path $path]
    if {[file dirname $real] ne [real_path $scripts_dir]
            && [string first "[real_path $scripts_dir]/" $real] != 0} {
        refuse symlink "invalid script path: it leads out of scripts/"
    }
    if {![file exists $real]} {
        refuse symlink "invalid script path: it leads nowhere"
    }
    if {[file type $real] ne "file"} {
        refuse not_regular "invalid script path: it is no plain file"
    }
    return $real
}

proc request_bytes {path} {
    variable LIMIT
    file lstat $path found
    if {$found(type) ne "file"} {
        refuse [expr {$found(type) eq "link" ? "symlink" : "not_regular"}] "the request is no plain file"
    }
    if {$found(size) > $LIMIT} {
        refuse too_large "the request has more than $LIMIT bytes"
    }
    return [read_bytes $path [expr {$LIMIT + 1}]]
}

# ---------------------------------------------------------------- scripts

# What a tool's commands for ending it do instead.
proc trapped {name args} {
    variable running
    variable refused
    variable probe
    if {$probe ne "" && [lindex $args 0] eq $probe} {
        set probe ""
        return
    }
    set call [string range [string trim "[string trimleft $name :] $args"] 0 200]
    set why "`$call` was called: a session is not ended by a script"
    if {$running eq ""} {
        say "outside a request $why"
        return
    }
    lappend refused $why
    error $why "" {CUSTODY exit}
}

# What a tool's commands for starting a program do instead.
proc program_refused {args} {
    variable running
    variable refused
    set call [string range [join $args] 0 200]
    set why "security violation: exec: `$call` was called, and a script starts no program"
    if {$running eq ""} {
        say "outside a request $why"
    } else {
        lappend refused $why
    }
    error $why "" {CUSTODY exec}
}

# What an error in an event does that a script has left to be done: nobody catches it, so it fails the
# request. A script that has a `bgerror` of its own deals with it itself.
proc error_in_event {message options} {
    variable running
    variable refused
    if {[llength [in_tool {info commands ::bgerror}]]} {
        if {[catch {in_tool [list ::bgerror $message]} why options] != 1} {
            return
        }
        set message $why
    }
    set info $message
    catch {set info [dict get $options -errorinfo]}
    say "an error in an event: $info"
    if {$running ne ""} {
        lappend refused "an error in an event: $message"
    }
}

# Tell which of the traps are not in place any more, and put them there again.
proc traps_lost {} {
    variable traps
    variable probe
    set lost {}
    foreach name $traps {
        set probe @@custody-[clock clicks]
        set failed [catch {in_tool [list $name $probe]}]
        if {$failed || $probe ne ""} {
            lappend lost [string trimleft $name :]
            catch {in_tool [list rename $name {}]}
            catch {in_tool [list interp alias {} $name custody_loop trapped $name]}
        }
    }
    set probe ""
    return $lost
}

# Begin or end what a request prints. OpenSTA prints both streams to its standard output, where the
# marks then stand twice.
proc marker {which id} {
    foreach stream {stdout stderr} {
        catch {
            puts $stream "\n@@custody $which $id"
            flush $stream
        }
    }
}

# Source a script in the tool; return why it failed, empty when it did not.
proc sourced {script path} {
    variable refused
    set file [open $path r]
    fconfigure $file -encoding utf-8 -eofchar \x1a
    set failed [catch {read $file} text]
    close $file
    if {$failed} {
        error $text
    }
    set refused {}
    set before ""
    catch {in_tool {info script}} before
    catch {in_tool [list info script $path]}
    set code [catch {in_tool $text} result options]
    # Tcl tells errors in events when it is idle: what waits to be told belongs to this script.
    until_idle
    catch {in_tool [list info script $before]}
    set lost [traps_lost]
    set why [ended_with $script $code $result $options]
    if {[llength $refused]} {
        return "[lindex $refused 0] ($script)"
    }
    if {$why eq "" && [llength $lost]} {
        return "$script has replaced `[join $lost {`, `}]`"
    }
    return $why
}

# Do what waits for a moment without events, and what that makes wait, but not without end: `update`
# returns when its interpreter has come to the limit of its commands, some in each round.
proc until_idle {} {
    variable ROUNDS
    interp create -safe idle
    interp eval idle {proc again {} {after idle again}; again}
    set now [interp eval idle {info cmdcount}]
    interp limit idle commands -value [expr {$now + 2 * $ROUNDS}]
    catch {interp eval idle {update idletasks}}
    interp delete idle
}

proc ended_with {script code result options} {
    if {$code == 2} {
        set code [dict get $options -code]
        dict set options -errorinfo ""
    }
    switch -- $code {
        0 { return "" }
        1 {}
        3 - 4 { return "$script: `[lindex {break continue} [expr {$code - 3}]]` outside of a loop" }
        default { return "$script ended with the return code $code" }
    }
    set info ""
    catch {set info [dict get $options -errorinfo]}
    set line ""
    set here {\n    \(in namespace eval "::" script line ([0-9]+)\)}
    if {[regexp -indices -- $here $info found digits]} {
        set line ":[string range $info {*}$digits]"
        set info [string range $info 0 [expr {[lindex $found 0] - 1}]]
    }
    if {$info ne ""} {
        catch {
            puts stderr "$info\n    ($script$line)"
            flush stderr
        }
    }
    return "$script$line: [expr {[string trim $result] eq "" ? "an error without a message" : $result}]"
}

# ---------------------------------------------------------------- one request

proc acked {id began status error_type message} {
    variable ack_dir
    variable job_id
    variable token
    variable MESSAGE
    set ended [now]
    set message [string range $message 0 [expr {$MESSAGE - 1}]]
    set ack [list schema_version 1.0 request_id $id job_id $job_id status $status \
        error_type $error_type message $message started_at [iso $began] finished_at [iso $ended] \
        duration_ms [expr {max(0, $ended - $began)}] evidence_paths {} token $token]
    set types {schema_version string request_id string job_id string status string
        error_type string message string started_at string finished_at string
        duration_ms number evidence_paths strings token number}
    if {![publish [file join $ack_dir $id.json] [json_object $ack $types]]} {
        say "there is an ack of $id already, which stays"
    }
}

proc claimed {id began} {
    variable claim_dir
    variable token
    set claim [list schema_version 1.0 request_id $id token $token claimed_at [iso $began]]
    set types {schema_version string request_id string token number claimed_at string}
    return [publish [file join $claim_dir $id.json] [json_object $claim $types]]
}

# Carry out the request of a file, if nobody has, and write its ack.
proc carry_out {name} {
    variable queue_dir
    variable ack_dir
    variable seen
    variable running
    if {[info exists seen($name)]} {
        return
    }
    set id [file rootname $name]
    set path [file join $queue_dir $name]
    if {![is_id $id] || ![is_there $path]} {
        return
    }
    set seen($name) 1
    if {[is_there [file join $ack_dir $id.json]]} {
        return
    }
    set began [now]
    if {![claimed $id $began]} {
        say "$id was begun by another executor"
        return
    }
    if {[catch {
        set script [checked_request [request_bytes $path] $id]
        set real [located $script]
    } why options]} {
        refused $id $began $why [dict get $options -errorcode]
        return
    }
    set running $id
    told_state BUSY
    marker begin $id
    set failed [catch {sourced $script $real} why]
    marker end $id
    set running ""
    if {$failed} {
        acked $id $began FAIL INTERNAL_ERROR "the executor failed: $why"
    } elseif {$why eq ""} {
        acked $id $began PASS OK ""
    } else {
        set restore [expr {$script eq "scripts/restore_wrapper.tcl"}]
        acked $id $began FAIL [expr {$restore ? "RESTORE_FAIL" : "CMD_FAIL"}] $why
    }
    told_state READY
}

proc refused {id began why code} {
    if {[lindex $code 0] ne "CUSTODY"} {
        acked $id $began FAIL INTERNAL_ERROR "the executor failed: $why"
    } elseif {[lindex $code 1] eq "absent"} {
        acked $id $began FAIL CMD_FAIL "absent: $why"
    } else {
        acked $id $began FAIL CMD_FAIL "security violation: [lindex $code 1]: $why"
    }
}

# ---------------------------------------------------------------- the loop

proc told_state {state} {
    variable state_dir
    variable token
    variable running
    catch {
        replace_file [file join $state_dir state.json] [json_object [list schema_version 1.0 \
            state $state request_id $running token $token pid [pid] since [iso [now]]] \
            {schema_version string state string request_id string since string}]
    }
}

# Carry out what is named, or whatever is there. What comes while it is busy is remembered: a script
# that lets events happen gets here again, and must neither run twice nor be forgotten.
proc look {names} {
    variable busy
    variable remembered
    variable everything
    if {$busy} {
        if {[llength $names]} {
            lappend remembered {*}$names
        } else {
            set everything 1
        }
        return
    }
    set busy 1
    while 1 {
        if {![llength $names]} {
            catch {listed} names
        }
        foreach name $names {
            if {[catch {carry_out $name} why]} {
                variable running ""
                say "$name could not be carried out: $why"
                fenced_out
            }
        }
        set names $remembered
        set remembered {}
        if {![llength $names]} {
            if {!$everything} {
                break
            }
            set everything 0
        }
    }
    set busy 0
}

# Return the requests of the queue that were not seen, in order.
proc listed {} {
    variable queue_dir
    variable seen
    set new {}
    foreach name [glob -nocomplain -directory $queue_dir -tails -- *.json] {
        if {![info exists seen($name)]} {
            lappend new $name
        }
    }
    return [lsort $new]
}

# End when nobody would believe an ack any more: the folder for it is gone.
proc fenced_out {} {
    variable ack_dir
    variable stopped
    if {![file isdirectory $ack_dir]} {
        say "there is no place for acks any more"
        set stopped fenced
    }
}

# Tell whether the queue is to be listed. It is when it has changed, for some looks more, since its
# time is one of whole seconds, and now and then all the same, since network file systems remember
# an old time. The more a listing costs the rarer that is. Looks are counted as if none was left out.
proc is_due {} {
    variable SETTLING
    variable FORCED
    variable SLOWER
    variable woken_here
    variable queue_dir
    variable looks
    variable changed
    variable settled
    variable next
    variable forced
    incr looks [expr {$woken_here ? $SLOWER : 1}]
    set time [file mtime $queue_dir]
    if {$time ne $changed} {
        set changed $time
        set settled [expr {$looks + $SETTLING}]
    }
    return [expr {$looks >= $next && ($looks <= $settled || $looks >= $forced)}]
}

proc list_and_look {} {
    variable poll_ms
    variable looks
    variable next
    variable forced
    variable FORCED
    set from [clock microseconds]
    catch {listed} names
    set cost [expr {([clock microseconds] - $from) / (1000.0 * $poll_ms)}]
    set next [expr {$looks + 1 + ($cost > 0.3)}]
    set forced [expr {$looks + int(max($FORCED, min(1000 * $cost, 60000 / $poll_ms)))}]
    if {[llength $names]} {
        variable woken_here 0
        look $names
    }
}

# The poller. It is set again before anything can go wrong. Once the FIFO has told of a request,
# whoever asks is on this machine, and looking is no more than a second chance.
proc tick {} {
    variable poll_ms
    variable stop_path
    variable stopped
    variable busy
    variable woken_here
    variable ticks
    variable SLOWER
    after [expr {$woken_here ? $poll_ms * $SLOWER : $poll_ms}] tick
    if {$busy} {
        return
    }
    if {[catch {
        if {($woken_here || [incr ticks] % $SLOWER == 0) && [file exists $stop_path]} {
            set stopped stop
        } elseif {[is_due]} {
            list_and_look
        }
    } why]} {
        fenced_out
    }
}

proc beat {} {
    variable heartbeat_ms
    variable heartbeat_path
    variable beats
    after $heartbeat_ms beat
    incr beats
    catch {write_file $heartbeat_path "[iso [now]] $beats"}
    lease_looked_at
}

# End when the lease was not renewed for too long, told by how often it was looked at, or when a
# newer token stands in it.
proc lease_looked_at {} {
    variable lease_file
    variable lease_s
    variable heartbeat_ms
    variable lease
    variable unchanged
    variable stopped
    variable token
    if {$lease_file eq ""} {
        return
    }
    set found ""
    catch {set found [list [file mtime $lease_file] [read_bytes $lease_file 100]]}
    if {$found ne $lease && $found ne ""} {
        set lease $found
        set unchanged 0
    } else {
        incr unchanged $heartbeat_ms
    }
    if {$unchanged > 1000 * $lease_s} {
        say "the lease is over"
        set stopped lease
    }
    if {[regexp {\A\s*([0-9]{1,18})\s*\Z} [lindex $lease 1] -> newest]
            && [scan $newest %lld] > $token} {
        say "token $newest was given to another session"
        set stopped fenced
    }
}

# ---------------------------------------------------------------- wake-up

# Open the FIFO that names new requests. It is opened anew when its last writer is gone, before the
# old one is closed, so that nothing that is written meanwhile is lost.
proc wake_open {} {
    variable fifo
    variable wake
    if {$fifo eq ""} {
        return
    }
    set old $wake
    set wake ""
    if {![catch {
        if {[file type $fifo] eq "fifo"} {
            set wake [open $fifo {RDONLY NONBLOCK}]
            fconfigure $wake -translation binary -blocking 0
            fileevent $wake readable woken
        }
    } why]} {
        set why ""
    }
    if {$old ne ""} {
        catch {close $old}
    }
    if {$why ne ""} {
        say "no wake-up: $why"
    }
}

proc woken {} {
    variable wake
    set names {}
    if {[catch {
        while {[gets $wake line] >= 0} {
            lappend names $line.json
        }
        set over [eof $wake]
    }]} {
        set over 1
    }
    if {$over} {
        wake_open
    }
    if {[llength $names]} {
        variable woken_here 1
        look $names
    }
}

# ---------------------------------------------------------------- start

proc setting {name default} {
    global env
    if {[info exists env($name)] && $env($name) ne ""} {
        return $env($name)
    }
    return $default
}

proc whole {name default} {
    set value [setting $name $default]
    if {![regexp {\A[0-9]{1,9}\Z} $value]} {
        error "$name is not a whole number: $value"
    }
    return [scan $value %d]
}

# Let names of files be what the locale says. OpenSTA and yosys do not begin Tcl as it wants to be
# begun, which then takes every name for ISO 8859-1.
proc names_as_the_locale_has_them {} {
    foreach name {LC_ALL LC_CTYPE LANG} {
        if {[setting $name ""] ne ""} {
            if {[regexp -nocase {utf-?8} [setting $name ""]]} {
                encoding system utf-8
            }
            return
        }
    }
}

# Take the settings from the environment, and tell scripts where their folders are.
proc settings {} {
    set box [setting CUSTODY_SESSION_DIR ""]
    set run [file normalize [setting SP_RUN_DIR [expr {$box eq "" ? [pwd] : $box}]]]
    set state [expr {$box eq "" ? [file join $run session] : [file join $box state]}]
    set base [expr {$box eq "" ? $run : $box}]
    set claim [expr {$box eq "" ? [file join $state claim] : [file join $box claim]}]
    foreach {name default} [list \
            queue_dir [file join $base queue] ack_dir [file join $base ack] claim_dir $claim \
            state_dir $state scripts_dir [file join $run scripts] \
            reports_dir [file join $run reports]] {
        variable $name
        set variable SP_[string toupper $name]
        set $name [file normalize [setting $variable $default]]
        tell_scripts $variable [set $name]
    }
    tell_scripts SP_RUN_DIR $run
    variable job_id [setting SP_JOB_ID [expr {$box eq "" ? [file tail $run] : ""}]]
    tell_scripts SP_JOB_ID $job_id
    variable token [whole SP_TOKEN [setting CUSTODY_SESSION_TOKEN 0]]
    variable poll_ms [expr {max(1, [whole SP_POLL_MS 75])}]
    variable heartbeat_ms [expr {max(10, [whole SP_HEARTBEAT_MS 500])}]
    variable fifo [setting SP_FIFO [setting CUSTODY_SESSION_WAKE ""]]
    variable lease_file [setting SP_LEASE_FILE ""]
    variable lease_s [whole SP_LEASE_S 60]
}

proc tell_scripts {name value} {
    set ::env($name) $value
    catch {in_tool [list set ::env($name) $value]}
}

proc ready {} {
    variable queue_dir
    variable ack_dir
    variable claim_dir
    variable state_dir
    variable seen
    file mkdir $queue_dir $ack_dir $claim_dir $state_dir
    foreach name [glob -nocomplain -directory $ack_dir -tails -- *.json] {
        set seen($name) 1
    }
    variable stop_path [file join $state_dir stop]
    variable heartbeat_path [file join $state_dir heartbeat]
    told_state READY
    beat
    tick
    wake_open
    replace_file [file join $state_dir ready] [iso [now]]
}

# Write the metrics of a job, one flat object of names and numbers or texts.
proc write_metrics {metrics} {
    variable reports_dir
    replace_file [file join $reports_dir metrics.json] [json_object $metrics]
}

proc background_error {message options} {
    say "an error outside a request: $message"
}

# Innovus needs it: its own procedures start programs.
proc programs_allowed {} {
    set innovus [llength [in_tool {info commands ::restoreDesign}]]
    set value [setting SP_EXEC [expr {$innovus ? "allow" : "deny"}]]
    if {$value ni {allow deny}} {
        error "SP_EXEC is neither allow nor deny: $value"
    }
    return [expr {$value eq "allow"}]
}

proc serve {} {
    variable stopped
    foreach {name value} {
        stopped "" running "" refused {} probe "" busy 0 remembered {} everything 0 wake ""
        woken_here 0 ticks 0 looks 0 changed "" settled 0 next 0 forced 0 beats 0 lease "" unchanged 0
    } {
        variable $name $value
    }
    interp bgerror {} background_error
    foreach stream {stdout stderr} {
        catch {fconfigure $stream -buffering line -encoding utf-8}
    }
    names_as_the_locale_has_them
    settings
    if {[setting CUSTODY_SESSION_DIR ""] ne ""} {
        catch {cd [file join [setting CUSTODY_SESSION_DIR ""] work]}
    }
    ready
    vwait stopped
    told_state STOPPED
    say "ends: $stopped"
}

}

namespace eval ::custody::tool {}

# Sessions are not ended by scripts: what ends the tool is kept aside and does something else.
foreach custody_name [concat ::exit ::quit [info commands ::*::exit] [info commands ::*::quit]] {
    if {![string match ::custody* $custody_name] && ![string match ::tcl::* $custody_name]} {
        if {[llength [info commands $custody_name]]} {
            rename $custody_name ::custody::tool::[string map {:: _} $custody_name]
        }
        interp alias {} $custody_name custody_loop trapped $custody_name
        lappend custody_traps $custody_name
    }
}
interp eval custody_loop [list variable traps $custody_traps]

# Scripts start no program, unless the tool needs it for its own procedures.
if {![interp eval custody_loop programs_allowed]} {
    interp alias {} ::custody::program_refused custody_loop program_refused
    rename ::exec ::custody::tool::_exec
    interp alias {} ::exec custody_loop program_refused exec
    rename ::open ::custody::tool::_open
    proc ::open {args} {
        if {[string match |* [string trimleft [lindex $args 0]]]} {
            ::custody::program_refused open {*}$args
        }
        uplevel 1 [linsert $args 0 ::custody::tool::_open]
    }
}

# OpenSTA's own `source` prints an error, goes on with the next line and returns normally.
if {[llength [info commands ::builtin_source]]} {
    rename ::source ::custody::tool::source
    proc ::source {args} {
        set file {}
        foreach word $args {
            if {$word in {> >>}} {
                error "`source` with a redirection is not there in a session"
            }
            if {$word ni {-echo -verbose}} {
                lappend file $word
            }
        }
        uplevel 1 [linsert $file 0 ::builtin_source]
    }
}

interp alias {} ::custody::json_object custody_loop json_object
interp alias {} ::custody::write_metrics custody_loop write_metrics
interp alias {} ::custody::error_in_event custody_loop error_in_event
interp bgerror {} ::custody::error_in_event

interp eval custody_loop serve
::custody::tool::_exit 0
