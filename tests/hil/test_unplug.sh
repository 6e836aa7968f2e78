#!/usr/bin/env bash
# The plotter's cable pulled out while the arm picks, carries and places, and plugged in again: the
# robot has to find its way back without a person. UNPLUGS seeded times.
. "$(dirname "$0")/lib.sh"
count=${UNPLUGS:-6}
RANDOM=${SEED:-1}
phases=(pick carry place any)
# So that the world's time is not what the test waits for, and several machines fit on a processor: a plotter that
# seeks its corner twice as fast as the sample and feels for it five times as fast, and half the pictures.
camera_size=1280x720@8
quick_homing() {
    local setting line
    exec 3<>"$plotter"
    busybox stty raw -echo <&3
    sleep 1                                  # it greets
    for setting in '$24=600' '$25=12000'; do # one by one: while it writes its EEPROM it hears nothing
        echo "$setting" >&3
        line=''
        until [[ $line == ok* ]]; do
            read -r -t 5 line <&3 || fail "the plotter does not take $setting"
        done
    done
    exec 3>&-
}

on_cup() { say ledger | grep -q ' cup 1 '; }
pumping() { is_level 5 1; }
letting_go() { is_level 6 0 && ! pumping; } # the valve is open while its line is low
homed_again() {
    times_told '  [homing]'
    [ "$told" -gt "$homings" ] && ! in_state homing && ! in_state starting
}
missed_at() { awk -v began="$1" '$1 >= began && / is gone: / { print $1; exit }' "$run/times"; } # a line of the robot's
cpu() { awk '{ print $14 + $15 }' "/proc/$robot/stat"; } # hundredths of a second

moment() { # moment PHASE: waits for it
    wait_for 90 eval 'in_state working && ! pumping' || return 1
    case $1 in
    pick) wait_for 30 pumping ;;
    carry) wait_for 30 on_cup && sleep 0.$((RANDOM % 9)) ;;
    place) wait_for 30 on_cup && wait_for 30 letting_go ;;
    any) sleep $((RANDOM % 5)).$((RANDOM % 10)) ;;
    esac
}

everything_up
quick_homing
play_up --seat both --level 1 --variant gomoku
confirm
wait_for 90 in_state working || fail "the game does not begin"
back=0 renamed=0 worst=0 noticed_times=0 spin=0
for i in $(seq "$count"); do
    phase=${phases[(i - 1) % 4]}
    moment "$phase" || fail "no moment to $phase: the robot is in $(grep -a '^  \[' "$run/game" | tail -n 1)"
    times_told '  [homing]'
    homings=$told
    before=$(serial_port)
    sleep 1000 <"$before" & # somebody else's hand on the old name
    holder=$!
    began=$(now_ms)
    unplug_plotter
    if [ $((RANDOM % 2)) = 0 ]; then
        plug_plotter # at once, and the old name is not free
    else
        if wait_for 3 eval '[ -n "$(missed_at $began)" ]'; then
            noticed=$(($(missed_at $began) - began))
            [ $noticed -gt "$worst" ] && worst=$noticed
        else
            note "$i: $phase: not noticed within 3 s"
            worst=3000
        fi
        noticed_times=$((noticed_times + 1))
        used=$(cpu)
        sleep 1
        used=$(($(cpu) - used))
        [ $used -gt $spin ] && spin=$used
        plug_plotter
    fi
    if wait_for 90 homed_again; then
        back=$((back + 1))
        [ "$(serial_port)" = "$before" ] || renamed=$((renamed + 1))
        note "$i: $phase: homed and looking after $((($(now_ms) - began) / 100)) tenths of a second"
    else
        note "$i: $phase: NOT back: $(grep -a '^  \[\|^! \|^? ' "$run/game" | tail -n 4 | tr '\n' ' ')"
        say 'press done'
    fi
    kill $holder
done
note "$back of $count came back by themselves, $renamed under another name"
note "noticed after at most $worst ms ($noticed_times looked at); processor time in a second without the plotter: $spin %"
note "$(say ledger)"
[ $((back * 100)) -ge $((count * 95)) ] || fail "too few came back"
[ "$worst" -le 500 ] || fail "noticed too late"
[ "$spin" -le 60 ] || fail "the robot spins without its plotter"
pass
