import { defineEntity, p } from '@mikro-orm/core';
import type { appStatuses, appTypes } from '../../contract/app.ts';
import { dateNow } from '../../infrastructure/clock.ts';
import { Blob } from './blob.entity.ts';
import { Server } from './server.entity.ts';
import { User } from './user.entity.ts';

/** A server's app, with web pages of its own. */
const AppSchema = defineEntity({
  name: 'App',
  tableName: 'apps',
  indexes: [
    {
      name: 'apps_icon_picture',
      expression: `create index apps_icon_picture on apps (icon_url) where icon_url like '/media/%'`,
    },
  ],
  uniques: [
    { name: 'apps_server_slug', properties: ['serverId', 'slug'] },
    { name: 'apps_homepage', properties: ['serverId'], where: { isHomepage: true } },
  ],
  properties: {
    id: p.uuid().primary(),
    serverId: () => p.manyToOne(Server).mapToPk().fieldName('server_id').deleteRule('cascade').index(false),
    name: p.string().columnType('text'),
    slug: p.string().columnType('text'),
    type: p.string().columnType('text').$type<(typeof appTypes)[number]>(),
    status: p.string().columnType('text').$type<(typeof appStatuses)[number]>(),
    description: p.string().columnType('text').nullable(),
    iconUrl: p.string().columnType('text').nullable(),
    /** The address of an app of type `url`. */
    url: p.string().columnType('text').nullable(),
    /** The version being served; incremented by each publishing. */
    version: p.integer().default(1),
    isHomepage: p.boolean().default(false),
    viewCount: p.bigint('number').default(0),
    createdBy: () =>
      p.manyToOne(User).mapToPk().fieldName('created_by').nullable().deleteRule('set null').index('apps_made'),
    createdAt: p.datetime(3).onCreate(dateNow),
    updatedAt: p.datetime(3).onCreate(dateNow),
  },
});

export class App extends AppSchema.class {}
AppSchema.setClass(App);

/** A file of a version of an app. */
const AppFileSchema = defineEntity({
  name: 'AppFile',
  tableName: 'app_files',
  properties: {
    appId: () => p.manyToOne(App).mapToPk().fieldName('app_id').primary().deleteRule('cascade').index(false),
    version: p.integer().primary(),
    /** Relative to the root of the app, without a leading slash. */
    path: p.string().columnType('text').primary(),
    blobId: () => p.manyToOne(Blob).mapToPk().fieldName('blob_id').deleteRule('no action').index(),
    sizeBytes: p.bigint('number'),
    /** Whether what it stores is counted; rows from before that are counted in the background. */
    isCounted: p.boolean().default(true),
  },
});

export class AppFile extends AppFileSchema.class {}
AppFileSchema.setClass(AppFile);
