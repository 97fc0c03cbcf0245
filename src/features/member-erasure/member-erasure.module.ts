import { memberErasureCalls } from '../../contract/member-erasure.ts';
import { serve } from '../../rest/route.ts';
import type { Context } from '../context.ts';
import type { Module } from '../module.ts';
import { memberErasureWork } from './member-erasure.job.ts';
import { MemberErasureService } from './member-erasure.service.ts';

/** The deletion of what someone wrote in a server in the last hours (contract §5). */
export function memberErasureModule(context: Context): Module {
  const erasure = new MemberErasureService(context);
  return {
    routes: serve(memberErasureCalls, {
      deleteMemberMessages: ({ actor, params, body }) => erasure.erase(actor, params.id, params.userId, body.hours),
    }),
    jobs: [memberErasureWork(context)],
  };
}
