import { z } from 'zod';
import { hourCycles, themes } from './appearance.ts';
import { durableEvent } from './event.ts';
import { languages, timeZoneOf } from './languages.ts';
import { record } from './schema.ts';

/** In which language, by which clock and in which colours someone reads; nobody else sees it. */
export const personal = {
  language: z
    .enum(languages)
    .nullable()
    .describe('Of mails and of the web client; null: not chosen, as the browser says.'),
  timeZone: z
    .string()
    .nullable()
    .meta({ examples: ['Europe/Berlin'] })
    .describe('The IANA name of the time zone by which times are written; null: not chosen.'),
  hourCycle: z
    .enum(hourCycles)
    .nullable()
    .describe('Whether times are written with 12 hours (`h12`) or 24 (`h23`); null: as the language has it.'),
  theme: z
    .enum(themes)
    .nullable()
    .describe('The colours of the web client, `contrast` with high contrast; null: as the device has it.'),
};

export const accountUpdated = durableEvent({
  name: 'account:updated',
  summary: 'You chose another language, time zone, clock or theme, perhaps on another device.',
  room: 'user',
  payload: record('AccountUpdate', personal),
});

/** One that the runtime knows, in its usual spelling. */
const timeZoneSchema = z
  .string()
  .max(64)
  .overwrite((name) => timeZoneOf(name) ?? name)
  .refine((name) => timeZoneOf(name) !== null, 'must be the name of a time zone, such as Europe/Berlin');

/** The same as it is changed; what is left out stays. */
export const updatePersonal = {
  language: personal.language.optional(),
  timeZone: timeZoneSchema.nullable().optional(),
  hourCycle: personal.hourCycle.optional(),
  theme: personal.theme.optional(),
};
