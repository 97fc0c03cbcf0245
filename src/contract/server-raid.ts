import { z } from 'zod';
import { numberSchema } from './schema.ts';

/** Whether joins are held for approval: never, when they exceed a rate, or until this is set otherwise (contract §5). */
export const raidModes = ['off', 'auto', 'on'] as const;

const between = (least: number, most: number) => numberSchema(z.number().int().min(least).max(most)).optional();

export const raidSettingsSchema = z.object({
  mode: z.enum(raidModes).optional(),
  joins: between(1, 200).describe('More joins than this within `seconds` turn it on.'),
  seconds: between(5, 3600),
  minutes: between(1, 1440).describe('It ends so long after the rate was last exceeded.'),
});
