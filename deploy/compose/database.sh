#!/bin/sh
# Run once, when the cluster is made: a role that is no superuser, and its database.
set -eu
psql --no-psqlrc --set=ON_ERROR_STOP=1 --username=postgres --dbname=postgres --set=password="$PARLEY_DB_PASSWORD" <<'SQL'
CREATE ROLE parley LOGIN PASSWORD :'password';
CREATE DATABASE parley OWNER parley ENCODING 'UTF8' TEMPLATE template0;
SQL
