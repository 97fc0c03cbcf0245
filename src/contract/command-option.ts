import { z } from 'zod';
import { textSchema, withDefault } from './schema.ts';

/** How much a command may ask for (contract §4, Commands). */
export const maxOptions = 20;
const maxChoices = 50;
/** The longest text that someone gives for an option. */
export const maxOptionText = 4000;

export const optionTypes = ['text', 'number', 'choice', 'user', 'channel', 'file'] as const;

/** Of commands, their aliases and their options. */
export const commandName = z
  .string()
  .trim()
  .min(1)
  .max(32)
  .regex(/^[\p{L}\p{N}_-]+$/u, 'must be letters, digits, "_" or "-"');

const length = z.number().int().min(0).max(maxOptionText);
const bound = z.number().min(Number.MIN_SAFE_INTEGER).max(Number.MAX_SAFE_INTEGER);
const labelSchema = textSchema(100, z.string().trim().min(1));

/** A value that someone can choose, and how it is shown. */
export const choiceSchema = z.object({ value: textSchema(100, z.string().min(1)), label: labelSchema });
export type Choice = z.output<typeof choiceSchema>;

const choices = z
  .array(choiceSchema)
  .min(1)
  .max(maxChoices)
  .refine((all) => new Set(all.map(({ value }) => value)).size === all.length, 'must not have a value twice');

const shapes = {
  name: commandName,
  description: textSchema(200),
  required: z.boolean().describe('The command cannot be invoked without it.'),
  completes: z.boolean().describe('The bot suggests values while someone types; others are taken too.'),
  minLength: length.nullable(),
  maxLength: length.nullable(),
  min: bound.nullable(),
  max: bound.nullable(),
  integer: z.boolean().describe('Only whole numbers.'),
};

const { name, description, required, completes, minLength, maxLength, min, max, integer } = shapes;

/** What a command asks for, as it is kept. */
export const commandOptionSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('text'), name, description, required, minLength, maxLength, completes }),
  z.object({ type: z.literal('number'), name, description, required, min, max, integer, completes }),
  z.object({ type: z.literal('choice'), name, description, required, choices }),
  z.object({ type: z.literal('user'), name, description, required }),
  z.object({ type: z.literal('channel'), name, description, required }),
  z.object({ type: z.literal('file'), name, description, required }),
]);
export type CommandOption = z.output<typeof commandOptionSchema>;

const sent = { name, description: withDefault(description, ''), required: withDefault(required, false) };
const sentCompletes = withDefault(completes, false);
const sentLengths = { minLength: withDefault(minLength, null), maxLength: withDefault(maxLength, null) };
const sentBounds = { min: withDefault(min, null), max: withDefault(max, null), integer: withDefault(integer, false) };

const sentOptionSchema = z
  .discriminatedUnion('type', [
    z.object({ type: z.literal('text'), ...sent, ...sentLengths, completes: sentCompletes }),
    z.object({ type: z.literal('number'), ...sent, ...sentBounds, completes: sentCompletes }),
    z.object({ type: z.literal('choice'), ...sent, choices }),
    z.object({ type: z.literal('user'), ...sent }),
    z.object({ type: z.literal('channel'), ...sent }),
    z.object({ type: z.literal('file'), ...sent }),
  ])
  .refine((option) => {
    if (option.type === 'text') return (option.minLength ?? 0) <= (option.maxLength ?? maxOptionText);
    if (option.type === 'number') return (option.min ?? -Infinity) <= (option.max ?? Infinity);
    return true;
  }, 'must not end before it begins');

/** The options of a command, as the bot sends them. */
export const sentOptionsSchema = z
  .array(sentOptionSchema)
  .max(maxOptions)
  .refine((all) => new Set(all.map(({ name }) => name.toLowerCase())).size === all.length, 'must not use a name twice');

/** Values by the names of the options: ids of users, channels and uploads, numbers, and else texts. */
export const optionValuesSchema = z
  .record(commandName, z.union([textSchema(maxOptionText), z.number()]))
  .refine((values) => Object.keys(values).length <= maxOptions, `must have at most ${maxOptions} values`);
export type OptionValues = z.output<typeof optionValuesSchema>;
