import { defineEntity, p } from '@mikro-orm/core';

/** What the name of a deleted account looked like: nobody else may have it for a while (contract §3). */
const FormerNameSchema = defineEntity({
  name: 'FormerName',
  tableName: 'former_names',
  properties: {
    /** SHA-256 of its skeleton: the name itself is gone. */
    look: p.string().columnType('text').primary(),
    keptUntil: p.datetime(3).index('former_names_over'),
  },
});

export class FormerName extends FormerNameSchema.class {}
FormerNameSchema.setClass(FormerName);
