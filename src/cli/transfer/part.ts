import { z } from 'zod';
import { pictureUrlSchema } from '../../contract/picture.ts';
import {
  descriptionSchema,
  idSchema,
  jsonObjectSchema,
  textSchema,
  timeSchema,
  urlSchema,
} from '../../contract/schema.ts';
import { clock } from '../../infrastructure/clock.ts';

/** The format version in an export's manifest. A change that older versions cannot read gets a new number. */
export const formatName = 'parley-server';
export const formatVersion = 1;

/** One file of an export: rows of one table, each a JSON object on a line of its own (docs/export-format.md). */
export interface Part {
  table: string;
  /** Its file, where that is not named after the table. */
  file: string | null;
  shape: z.ZodObject;
  /** The rows' source, in a fixed order; `t` is the table, `$1` the id of the server, `$2` whether conversations come along. */
  from: string;
  /** SQL for fields that are not a column of their name. */
  select: Record<string, string>;
  /** Fields that are not columns of the table: the import handles them separately. */
  elsewhere: string[];
  /** Fields with the id of a row in an earlier part (or the same one), and its kind. */
  refers: Record<string, string>;
  /** As what its rows may be referred to. */
  kinds: string[];
  /** Columns that follow from the record and from the target installation. */
  derive(record: Record<string, unknown>, place: Place): Record<string, unknown>;
  /** A statement that runs after each batch was inserted; `$1` is the batch as JSON. */
  also: string | null;
  /** Whether rows that are there already are left out: this version may know two of an earlier one as one. */
  mergesRepeats: boolean;
}

/** The facts about the target installation that an import needs. */
export interface Place {
  /** The tier of an account: its own if this installation has one of that name. */
  tierOf(tier: unknown): string;
  /** A secret that nobody knows, sealed as they are kept here: its owner asks for another one. */
  unknownSecret(): string;
}

/** Channels that belong to the server, of all that a file has. */
export const serverChannels = 'server_channels';

/** Declares a part; its file is named after its table. */
export function part(spec: Pick<Part, 'table' | 'shape' | 'from'> & Partial<Part>): Part {
  const lists = { select: {}, elsewhere: [], refers: {}, kinds: [spec.table] };
  return { ...lists, file: null, derive: () => ({}), also: null, mergesRepeats: false, ...spec };
}

export const fileOf = ({ table, file }: Part): string => `${(file ?? table).replaceAll('_', '-')}.jsonl`;

/** `createdAt` → `created_at` */
export const columnOf = (field: string): string => field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** A text within the contract's limits, so that a hostile file brings no larger ones in. */
export const text = (max: number) => textSchema(max);
export const label = (max: number) => textSchema(max, z.string().min(1));
export const id = idSchema;

const dayMs = 24 * 60 * 60 * 1000;
/** The clocks of two installations may differ a little; times in the future would top lists for years. */
const isPast = (ms: number) => ms >= 0 && ms <= clock.now() + dayMs;
export const time = timeSchema.refine((text) => isPast(Date.parse(text)), 'must be between 1970 and now');
/** When something ends, which may be in the future. */
export const endTime = timeSchema.refine((text) => Date.parse(text) >= 0, 'must be after 1970');
export const isTime = (schema: unknown): boolean =>
  schema === time ||
  schema === endTime ||
  ((schema instanceof z.ZodNullable || schema instanceof z.ZodOptional) && isTime(schema.unwrap()));

/** Half of the largest exact integer in JavaScript: counting on from it never gets past that. */
const maxCount = 2 ** 52;
export const count = z.number().int().min(0).max(maxCount);
export const amount = z.number().min(0).max(maxCount);
/** The same for numbers that PostgreSQL keeps in four bytes. */
const maxSmall = 1_000_000_000;
export const smallCount = z.number().int().min(0).max(maxSmall);
export const json = jsonObjectSchema;
/** The SHA-256 of a content in hex; its bytes are the entry `blobs/<sha256>`. */
export const sha256 = z.string().regex(/^[0-9a-f]{64}$/, 'must be a SHA-256 in hex');

/** It becomes a header when the file is served. */
export const mediaType = z
  .string()
  .max(255)
  .regex(/^[!-~]+\/[!-~][ -~]*$/, 'must be a media type');

export const times = { createdAt: time, updatedAt: time };
export const url = urlSchema.nullable();
export const pictureUrl = pictureUrlSchema.nullable();
export const description = descriptionSchema.nullable();
