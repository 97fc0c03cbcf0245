import { z } from 'zod';
import { auditAction } from './audit-action.ts';
import { calls, contentHeaders, pathParam, rawAnswer, slugParam, uuidParam } from './call.ts';
import { pictureUrlSchema } from './picture.ts';
import {
  descriptionSchema,
  doneSchema,
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

/** Path segments that a slug must not equal. */
const reserved = new Set(['homepage', 'publish']);
export const appSlugSchema = slugSchema.refine((slug) => !reserved.has(slug), 'is reserved');

const htmlSchema = z
  .string()
  .refine((html) => Buffer.byteLength(html) <= maxHtmlBytes, `must have at most ${maxHtmlBytes} bytes`);

const descriptive = {
  description: descriptionSchema.nullish(),
  iconUrl: pictureUrlSchema.nullish(),
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

const tag = 'Apps';
const serverId = slugParam('SERVER_NOT_FOUND', 'Id or slug of the server.');
const appId = slugParam('APP_NOT_FOUND', 'Id or slug of the app.');
const path = pathParam('APP_FILE_NOT_FOUND', 'Path in the app.');

const described = ['name', 'slug', 'type', 'status', 'url', 'description', 'iconUrl', 'isHomepage', 'version'] as const;

export const appCreate = auditAction({ name: 'app.create', summary: 'An app was made.', fields: described });

export const appUpdate = auditAction({
  name: 'app.update',
  summary: 'An app was changed, or got a new version.',
  fields: described,
});

export const appDelete = auditAction({ name: 'app.delete', summary: 'An app was deleted.', fields: described });

export const appCalls = calls(tag, {
  listApps: {
    method: 'GET',
    path: '/api/servers/:serverId/apps',
    summary: 'The apps of a server: the active ones; all of them for admins.',
    params: { serverId },
    query: listAppsSchema,
    answer: appListSchema,
  },
  getHomepage: {
    method: 'GET',
    path: '/api/servers/:serverId/apps/homepage',
    summary: 'The app that is the homepage of a server.',
    params: { serverId },
    answer: appSchema,
    errors: ['APP_NOT_FOUND'],
  },
  getApp: {
    method: 'GET',
    path: '/api/servers/:serverId/apps/:appId',
    summary: 'An app.',
    params: { serverId, appId },
    answer: appDetailSchema,
  },
  createApp: {
    method: 'POST',
    path: '/api/servers/:serverId/apps',
    summary: 'Create an app: a page of HTML, a ZIP file of the workspace, or an external URL. For admins.',
    params: { serverId },
    body: createAppSchema,
    status: 201,
    answer: appSchema,
    errors: [
      'NOT_A_MEMBER',
      'ROLE_REQUIRED',
      'APP_LIMIT',
      'SLUG_TAKEN',
      'FILE_NOT_FOUND',
      'BUNDLE_INVALID',
      'QUOTA_EXCEEDED',
      'UNSAFE_URL',
    ],
    audit: [appCreate],
  },
  publishApp: {
    method: 'POST',
    path: '/api/servers/:serverId/apps/publish',
    summary: 'Publish a folder, a ZIP file or a page of the workspace; on the slug of an app as its next version.',
    params: { serverId },
    body: publishAppSchema,
    status: 201,
    answer: appSchema,
    errors: [
      'NOT_A_MEMBER',
      'ROLE_REQUIRED',
      'APP_LIMIT',
      'SLUG_TAKEN',
      'FOLDER_NOT_FOUND',
      'FILE_NOT_FOUND',
      'BUNDLE_INVALID',
      'QUOTA_EXCEEDED',
    ],
    audit: [appCreate, appUpdate],
  },
  updateApp: {
    method: 'PATCH',
    path: '/api/servers/:serverId/apps/:appId',
    summary: 'Change an app. For admins.',
    params: { serverId, appId },
    body: updateAppSchema,
    answer: appSchema,
    errors: ['NOT_A_MEMBER', 'ROLE_REQUIRED', 'SLUG_TAKEN', 'UNSAFE_URL', 'QUOTA_EXCEEDED'],
    audit: [appUpdate],
  },
  deleteApp: {
    method: 'DELETE',
    path: '/api/servers/:serverId/apps/:appId',
    summary: 'Delete an app. For admins.',
    params: { serverId, appId },
    answer: doneSchema,
    errors: ['NOT_A_MEMBER', 'ROLE_REQUIRED'],
    audit: [appDelete],
  },
});

/** Apps as anyone may see them, without signing in. */
export const appServingCalls = calls(tag, {
  serveApp: {
    method: 'GET',
    path: '/api/servers/:serverId/apps/:appId/serve/*path',
    summary: 'The files of an app; its page at the root.',
    auth: 'none',
    params: { serverId, appId, path },
    headers: contentHeaders,
    userContent: true,
    produces: '*/*',
    redirects: [301, 302],
    answer: rawAnswer,
  },
});

const proxied = {
  path: '/api/app-proxy/:appId/*path',
  summary: 'Forwards the request to an app of type "url".',
  auth: 'none',
  params: { appId: uuidParam('APP_NOT_FOUND', 'Id of the app.'), path },
  userContent: true,
  produces: '*/*',
  answer: rawAnswer,
  errors: ['UNSAFE_URL', 'BODY_TOO_LARGE', 'APP_PROXY_FAILED', 'APP_PROXY_TIMEOUT'],
} as const;

export const appProxyCalls = calls(tag, {
  proxyGet: { ...proxied, method: 'GET', redirects: [301, 302] },
  proxyPost: { ...proxied, method: 'POST', redirects: [307, 308] },
  proxyPut: { ...proxied, method: 'PUT', redirects: [307, 308] },
  proxyPatch: { ...proxied, method: 'PATCH', redirects: [307, 308] },
  proxyDelete: { ...proxied, method: 'DELETE', redirects: [307, 308] },
  proxyOptions: { ...proxied, method: 'OPTIONS', redirects: [307, 308] },
});
