import { defineEntity, p } from '@mikro-orm/core';
import type { Vitals } from '../../contract/vitals.ts';

/** A node, as it last announced itself; one that ends in order takes its row away. */
const ClusterNodeSchema = defineEntity({
  name: 'ClusterNode',
  tableName: 'cluster_nodes',
  properties: {
    id: p.string().columnType('text').primary(),
    /** The name of its machine. */
    host: p.string().columnType('text'),
    pid: p.integer(),
    version: p.string().columnType('text'),
    startedAt: p.datetime(3),
    seenAt: p.datetime(3),
    vitals: p.json<Vitals>().columnType('json').nullable(),
  },
});

export class ClusterNode extends ClusterNodeSchema.class {}
ClusterNodeSchema.setClass(ClusterNode);
