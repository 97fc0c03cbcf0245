import { defineEntity, p } from '@mikro-orm/core';
import { dateNow } from '../../infrastructure/clock.ts';
import { Blob } from './blob.entity.ts';
import { User } from './user.entity.ts';

/** The last export of an account: a ZIP file of what the account has here, kept for some days (contract §3). */
const AccountExportSchema = defineEntity({
  name: 'AccountExport',
  tableName: 'account_exports',
  properties: {
    id: p.uuid().primary(),
    userId: () => p.oneToOne(User).mapToPk().fieldName('user_id').deleteRule('cascade').owner(),
    state: p.string().columnType('text').$type<'preparing' | 'ready' | 'failed'>(),
    /** Null: not ready. */
    blobId: () => p.manyToOne(Blob).mapToPk().fieldName('blob_id').nullable().deleteRule('no action').index(),
    /** Bytes. */
    size: p.bigint('number').nullable(),
    createdAt: p.datetime(3).onCreate(dateNow),
    /** When it became ready, or failed. */
    endedAt: p.datetime(3).nullable(),
    /** It is deleted then; null: under way. */
    expiresAt: p.datetime(3).nullable().index('account_exports_expires'),
  },
});

export class AccountExport extends AccountExportSchema.class {}
AccountExportSchema.setClass(AccountExport);
