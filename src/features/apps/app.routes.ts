import {
  appDetailSchema,
  appListSchema,
  appSchema,
  createAppSchema,
  listAppsSchema,
  publishAppSchema,
  updateAppSchema,
} from '../../contract/app.ts';
import { done, doneSchema } from '../../contract/schema.ts';
import { type Route, route, slugParam } from '../../rest/route.ts';
import type { AppService } from './app.service.ts';

const tag = 'Apps';
const base = '/api/servers/:serverId/apps';
const serverId = slugParam('SERVER_NOT_FOUND', 'Id or slug of the server.');
const appId = slugParam('APP_NOT_FOUND', 'Id or slug of the app.');

export function serverAppRoutes(apps: AppService): Route[] {
  return [...viewingRoutes(apps), ...managingRoutes(apps)];
}

function viewingRoutes(apps: AppService): Route[] {
  return [
    route({
      method: 'GET',
      path: base,
      summary: 'The apps of a server: the active ones; all of them for admins.',
      tag,
      auth: 'required',
      params: { serverId },
      query: listAppsSchema,
      answer: appListSchema,
      handle: ({ actor, params, query }) => apps.list(actor, params.serverId, query),
    }),
    route({
      method: 'GET',
      path: `${base}/homepage`,
      summary: 'The app that is the homepage of a server.',
      tag,
      auth: 'required',
      params: { serverId },
      answer: appSchema,
      errors: ['APP_NOT_FOUND'],
      handle: ({ actor, params }) => apps.homepage(actor, params.serverId),
    }),
    route({
      method: 'GET',
      path: `${base}/:appId`,
      summary: 'An app.',
      tag,
      auth: 'required',
      params: { serverId, appId },
      answer: appDetailSchema,
      handle: ({ actor, params }) => apps.get(actor, params.serverId, params.appId),
    }),
  ];
}

function managingRoutes(apps: AppService): Route[] {
  return [
    route({
      method: 'POST',
      path: base,
      summary: 'Create an app: a page of HTML, a ZIP file of the workspace, or an external URL. For admins.',
      tag,
      auth: 'required',
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
      handle: ({ actor, params, body }) => apps.create(actor, params.serverId, body),
    }),
    route({
      method: 'POST',
      path: `${base}/publish`,
      summary: 'Publish a folder, a ZIP file or a page of the workspace; on the slug of an app as its next version.',
      tag,
      auth: 'required',
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
      handle: ({ actor, params, body }) => apps.publish(actor, params.serverId, body),
    }),
    route({
      method: 'PATCH',
      path: `${base}/:appId`,
      summary: 'Change an app. For admins.',
      tag,
      auth: 'required',
      params: { serverId, appId },
      body: updateAppSchema,
      answer: appSchema,
      errors: ['NOT_A_MEMBER', 'ROLE_REQUIRED', 'SLUG_TAKEN', 'UNSAFE_URL', 'QUOTA_EXCEEDED'],
      handle: ({ actor, params, body }) => apps.update(actor, params.serverId, params.appId, body),
    }),
    route({
      method: 'DELETE',
      path: `${base}/:appId`,
      summary: 'Delete an app. For admins.',
      tag,
      auth: 'required',
      params: { serverId, appId },
      answer: doneSchema,
      errors: ['NOT_A_MEMBER', 'ROLE_REQUIRED'],
      async handle({ actor, params }) {
        await apps.delete(actor, params.serverId, params.appId);
        return done;
      },
    }),
  ];
}
