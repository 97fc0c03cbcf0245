import { z } from 'zod';
import { idSchema, nameSchema, record, textSchema, urlSchema, withDefault } from './schema.ts';

/** The version of components that this server knows (contract §6, Components). */
export const componentsVersion = 1;
export const maxComponents = 25;
export const maxOptions = 25;
export const maxFields = 10;
/** A text that someone types into a field. */
export const maxFieldText = 4000;
const maxLabel = 80;
const maxHint = 200;

/** The bot's own name of a component, a field or an option. */
export const componentIdSchema = textSchema(64, z.string().min(1))
  .regex(/^[A-Za-z0-9][\x21-\x7e]*$/, 'must be letters, digits and signs of ASCII, and begin with one of the first two')
  .meta({ examples: ['approve'] });

const labelSchema = nameSchema(maxLabel);
const hintSchema = nameSchema(maxHint).nullish();

const optionSchema = z.object({
  value: componentIdSchema,
  label: labelSchema,
  description: hintSchema,
});

const differ = (values: readonly string[]) => new Set(values).size === values.length;

const optionsSchema = z
  .array(optionSchema)
  .min(1)
  .max(maxOptions)
  .refine((options) => differ(options.map(({ value }) => value)), 'must have values that differ from each other');

/** How many options are chosen. */
const choiceShape = {
  options: optionsSchema,
  min: withDefault(z.int().min(0).max(maxOptions), 1).describe('How many are chosen at least.'),
  max: withDefault(z.int().min(1).max(maxOptions), 1).describe('And at most.'),
};

const fieldShape = {
  id: componentIdSchema,
  label: labelSchema,
  hint: hintSchema,
  required: withDefault(z.boolean(), true).describe('False: it may be left empty, and its value is null then.'),
};

const fieldSchema = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('text'),
    ...fieldShape,
    multiline: withDefault(z.boolean(), false),
    format: z.enum(['email', 'url']).nullish().describe('What the text has to be.'),
    minLength: withDefault(z.int().min(0).max(maxFieldText), 0).describe('In UTF-16 units.'),
    maxLength: withDefault(z.int().min(1).max(maxFieldText), maxFieldText),
    value: textSchema(maxFieldText).nullish().describe('What the field has at first.'),
  }),
  z.object({
    type: z.literal('number'),
    ...fieldShape,
    min: z.number().nullish(),
    max: z.number().nullish(),
    integer: withDefault(z.boolean(), false),
    value: z.number().nullish(),
  }),
  z.object({
    type: z.literal('choice'),
    ...fieldShape,
    ...choiceShape,
    value: z.array(componentIdSchema).max(maxOptions).nullish(),
  }),
  z.object({
    type: z.literal('checkbox'),
    ...fieldShape,
    required: withDefault(z.boolean(), false).describe('True: it has to be ticked.'),
    value: z.boolean().nullish(),
  }),
  z.object({ type: z.literal('date'), ...fieldShape, value: z.iso.date().nullish() }),
]);

export type FormField = z.output<typeof fieldSchema>;

/** Whether what a field allows can be met at all. */
function isPossible(field: FormField): boolean {
  if (field.type === 'text') return field.minLength <= field.maxLength;
  if (field.type === 'number') return field.min == null || field.max == null || field.min <= field.max;
  if (field.type === 'choice') return field.min <= field.max && field.min <= field.options.length;
  return true;
}

const fieldsSchema = z
  .array(fieldSchema)
  .min(1)
  .max(maxFields)
  .refine((fields) => differ(fields.map(({ id }) => id)), 'must have ids that differ from each other')
  .refine((fields) => fields.every(isPossible), 'must not ask for more than they allow');

export const formSchema = record('Form', {
  title: labelSchema,
  fields: fieldsSchema,
  submit: labelSchema.nullish().describe('What its button says.'),
});

export type Form = z.output<typeof formSchema>;

const usableBySchema = z
  .object({
    role: z.enum(['owner', 'admin', 'moderator']).nullish().describe('This fixed role or one above it.'),
    roleIds: withDefault(z.array(idSchema).max(20), []),
    userIds: withDefault(z.array(idSchema).max(50), []),
  })
  .refine(
    ({ role, roleIds, userIds }) => role != null || roleIds.length + userIds.length > 0,
    'must name a role or a person',
  );

const usedShape = {
  id: componentIdSchema.describe('The same as in no other component of the message; the interaction names it.'),
  disabled: withDefault(z.boolean(), false).describe('Shown, and not to be used.'),
  usableBy: usableBySchema
    .nullish()
    .describe('Those with one of the roles and the people named, and nobody else; null: everyone who may react here.'),
  uses: withDefault(z.enum(['often', 'once', 'oncePerPerson']), 'often').describe(
    '`once`: by the first one alone, `oncePerPerson`: by each once.',
  ),
};

export const buttonStyles = ['plain', 'primary', 'danger'] as const;
const styleSchema = withDefault(z.enum(buttonStyles), 'plain');

const componentSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('button'), ...usedShape, label: labelSchema, style: styleSchema }),
  z.object({
    type: z.literal('select'),
    ...usedShape,
    label: labelSchema.describe('What is chosen here.'),
    ...choiceShape,
  }),
  z.object({
    type: z.literal('form'),
    ...usedShape,
    label: labelSchema.describe('Of the button that opens it.'),
    style: styleSchema,
    form: formSchema,
  }),
  z.object({ type: z.literal('link'), label: labelSchema, url: urlSchema }),
]);

export type Component = z.output<typeof componentSchema>;
/** One that is used, and not only followed. */
export type UsedComponent = Exclude<Component, { type: 'link' }>;

const itemsSchema = z
  .array(componentSchema)
  .min(1)
  .max(maxComponents)
  .refine((items) => differ(items.flatMap((item) => (item.type === 'link' ? [] : item.id))), {
    message: 'must have ids that differ from each other',
  })
  .refine((items) => items.every((item) => item.type !== 'select' || item.min <= item.options.length), {
    message: 'must not ask for more options than there are',
  })
  .refine((items) => items.every((item) => item.type !== 'select' || item.min <= item.max), {
    message: 'must not ask for more options than they allow',
  });

export const maxComponentsBytes = 32 * 1024;

export const componentsSchema = record('Components', {
  version: withDefault(z.literal(componentsVersion), componentsVersion).describe(
    'How to read `items`. Clients that do not know a version show that there is something, and no items.',
  ),
  items: itemsSchema,
});

export type Components = z.output<typeof componentsSchema>;

/** What people see of a bot's is no larger. */
const isSmall = (sent: object) => Buffer.byteLength(JSON.stringify(sent)) <= maxComponentsBytes;
const mustBeSmall = `must have at most ${maxComponentsBytes / 1024} KiB`;

/** Components as bots send them. */
export const sentComponentsSchema = componentsSchema
  .refine(isSmall, mustBeSmall)
  .meta({ example: { items: [{ type: 'button', id: 'approve', label: 'Approve', style: 'primary' }] } });

/** A form as bots answer with it. */
export const sentFormSchema = formSchema.refine(isSmall, mustBeSmall);
