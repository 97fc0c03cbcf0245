import { z } from 'zod';
import {
  descriptionSchema,
  idSchema,
  limitSchema,
  nameSchema,
  offsetSchema,
  omittable,
  record,
  timeSchema,
  urlSchema,
  withDefault,
} from './schema.ts';
import { slugSchema } from './server.ts';

export const appTypes = ['html', 'zip', 'url'] as const;
export const appStatuses = ['draft', 'active', 'archived'] as const;

export const maxHtmlBytes = 1024 * 1024;

export const appSchema = record('App', {
  id: idSchema,
  serverId: idSchema,
  name: z.string(),
  slug: z.string(),
  type: z.enum(appTypes),
  status: z.enum(appStatuses),
  description: z.string().nullable(),
  iconUrl: z.string().nullable(),
  url: z.string().nullable().describe('Of apps of type `url`.'),
  version: z.number().int().describe('Goes up with each publishing.'),
  isHomepage: z.boolean(),
  viewCount: z.number().int(),
  createdBy: idSchema.nullable(),
  createdAt: timeSchema,
  updatedAt: timeSchema,
});

export const appDetailSchema = appSchema.extend({
  htmlContent: z.string().nullable().describe('Of apps of type `html`.'),
});

export const appListSchema = z.object({
  items: z.array(appSchema),
  apps: z.array(appSchema).describe('The same as `items`.'),
  total: z.number().int(),
});

export const listAppsSchema = z.object({
  status: z.enum(appStatuses).optional(),
  limit: limitSchema(100, 50),
  offset: offsetSchema(1_000_000),
});

/** Path segments that a slug could be mistaken for. */
const reserved = new Set(['homepage', 'publish']);
export const appSlugSchema = slugSchema.refine((slug) => !reserved.has(slug), 'is reserved');

const htmlSchema = z
  .string()
  .refine((html) => Buffer.byteLength(html) <= maxHtmlBytes, `must have at most ${maxHtmlBytes} bytes`);

const descriptive = {
  description: descriptionSchema.nullish(),
  iconUrl: urlSchema.nullish(),
};

export const createAppSchema = z.object({
  name: nameSchema(200),
  slug: appSlugSchema.nullish().describe('Made of the name when it is left out.'),
  type: withDefault(z.enum(appTypes), 'html'),
  htmlContent: htmlSchema.nullish().describe('For `html`.'),
  fileId: idSchema.nullish().describe('For `zip`: a ZIP file in the workspace.'),
  url: urlSchema.nullish().describe('For `url`: an https address.'),
  status: withDefault(z.enum(appStatuses), 'active'),
  isHomepage: withDefault(z.boolean(), false),
  ...descriptive,
});

export const updateAppSchema = z.object({
  name: nameSchema(200).optional(),
  slug: appSlugSchema.optional(),
  status: z.enum(appStatuses).optional(),
  isHomepage: z.boolean().optional(),
  htmlContent: htmlSchema.optional().describe('A new version of an app of type `html`.'),
  url: urlSchema.optional().describe('For `url`.'),
  ...descriptive,
});

export const publishAppSchema = z.object({
  name: omittable(nameSchema(200)).describe('The name of the folder or file when it is left out.'),
  slug: appSlugSchema
    .nullish()
    .describe(
      'Of an app that is there: its next version. Left out: made of the name, and an app of the same name gets a next version.',
    ),
  folderId: idSchema.nullish().describe('A folder of the workspace.'),
  fileId: idSchema.nullish().describe('Instead: a ZIP or HTML file of the workspace, or a folder.'),
  isHomepage: omittable(z.boolean()),
  ...descriptive,
});
