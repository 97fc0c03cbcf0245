import { defineEntity, p } from '@mikro-orm/core';
import type { LinkPreview } from '../../contract/link-preview.ts';

/** What is known of an outside page that messages link to: fetched once for all nodes, and forgotten some time later. */
const LinkPageSchema = defineEntity({
  name: 'LinkPage',
  tableName: 'link_pages',
  indexes: [{ name: 'link_pages_expired', properties: ['expiresAt'] }],
  properties: {
    id: p.uuid().primary(),
    /** In the form in which equal ones are the same text. */
    address: p.string().columnType('text').unique(),
    /** `waiting` while it is fetched; `none`: there is nothing to show of it. */
    state: p.string().columnType('text').$type<'waiting' | 'found' | 'none'>().default('waiting'),
    preview: p.json<LinkPreview>().columnType('json').nullable(),
    expiresAt: p.datetime(3),
  },
});

export class LinkPage extends LinkPageSchema.class {}
LinkPageSchema.setClass(LinkPage);

/** A message that gets the preview of a page once that is fetched. Its message is no foreign key, so that messages can be partitioned. */
const LinkPageWaitSchema = defineEntity({
  name: 'LinkPageWait',
  tableName: 'link_page_waits',
  primaryKeys: ['pageId', 'messageId'],
  properties: {
    pageId: () => p.manyToOne(LinkPage).mapToPk().fieldName('page_id').primary().deleteRule('cascade').index(false),
    messageId: p.uuid().primary(),
    channelId: p.uuid(),
  },
});

export class LinkPageWait extends LinkPageWaitSchema.class {}
LinkPageWaitSchema.setClass(LinkPageWait);
