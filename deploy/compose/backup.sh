#!/bin/sh
# Dumps the database every BACKUP_HOURS, and keeps the newest BACKUP_KEEP dumps.
#
#   backup.sh         goes on until it is ended
#   backup.sh once    one dump, now
#   backup.sh check   succeeds if there is a dump no older than twice the time between two
#
# Where the database is: PGHOST, PGUSER, PGPASSWORD, PGDATABASE.
set -eu

folder=${BACKUP_FOLDER:-/backups}
hours=${BACKUP_HOURS:-24}
keep=${BACKUP_KEEP:-14}

# Whether there is a dump that is younger than so many hours.
newer_than() {
  [ -n "$(find "$folder" -name 'parley-*.dump' -mmin "-$(($1 * 60))" | head -n 1)" ]
}

# Under another name until it is complete: a dump that was cut short is never taken for one.
dump() {
  name="parley-$(date -u +%Y%m%dT%H%M%SZ).dump"
  rm -f "$folder"/*.part
  if ! pg_dump --format=custom --file="$folder/$name.part"; then
    rm -f "$folder/$name.part"
    echo "The dump failed; the ones of before are kept." >&2
    return 1
  fi
  mv "$folder/$name.part" "$folder/$name"
  echo "Wrote $name."
  # Their names sort by time.
  find "$folder" -name 'parley-*.dump' | sort -r | tail -n "+$((keep + 1))" | while read -r old; do
    rm -f "$old"
    echo "Removed ${old##*/}."
  done
}

case "${1:-}" in
  check) newer_than "$((hours * 2))" ;;
  once) dump ;;
  '')
    trap 'exit 0' TERM INT
    while true; do
      # After a restart it waits for its time, and a dump that failed is tried again in a minute.
      newer_than "$hours" || dump || true
      sleep 60 &
      wait $!
    done
    ;;
  *)
    echo "usage: backup.sh [once | check]" >&2
    exit 2
    ;;
esac
