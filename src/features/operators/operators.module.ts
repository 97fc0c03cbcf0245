import { operatorCalls } from '../../contract/operator.ts';
import { operatorTaskCalls } from '../../contract/operator-tasks.ts';
import { operatorWatchCalls } from '../../contract/operator-watch.ts';
import { done } from '../../contract/schema.ts';
import type { Gateway } from '../../gateway/gateway.ts';
import { pageReply, type Route, serve } from '../../rest/route.ts';
import { settingsInForce } from '../../settings/in-force.ts';
import type { AccountsServices } from '../accounts/accounts.module.ts';
import type { AuditServices } from '../audit/audit.module.ts';
import type { Context } from '../context.ts';
import type { Module } from '../module.ts';
import type { PushServices } from '../push/push.module.ts';
import type { ReportsServices } from '../reports/reports.module.ts';
import { clusterNodes } from './cluster-nodes.table.ts';
import { ClusterView } from './cluster-view.ts';
import { Installation } from './installation.ts';
import { JobDesk } from './job-desk.ts';
import { NodeVitals } from './node-vitals.ts';
import { OperatorDesk } from './operator-desk.ts';
import { listServers } from './server-list.ts';
import { tryMail } from './trials.ts';

type Features = Context & AccountsServices & ReportsServices & AuditServices & PushServices;

/** What operators see and do from within the installation (contract §3). */
export function operatorsModule(context: Features) {
  const vitals = new NodeVitals(context.delivery.counters);
  const cluster = new ClusterView({ ...context, vitals });
  const operatorDesk = new OperatorDesk(context);
  const jobDesk = new JobDesk(context);
  let gateway: Gateway | undefined;
  return {
    services: { operatorDesk, jobDesk, nodeVitals: vitals },
    routes: [
      ...deskRoutes(context, operatorDesk),
      ...watchRoutes(context, cluster, new Installation(context)),
      ...taskRoutes(context, jobDesk),
    ],
    chores: [{ name: 'forget nodes that ended without a word', step: (rows) => clusterNodes.forget(rows) }],
    connect: (sockets) => {
      gateway = sockets.gateway;
    },
    start() {
      vitals.start(() => gateway?.io.of('/').sockets.size ?? 0);
      cluster.start();
    },
    async close() {
      vitals.close();
      await cluster.close();
    },
  } satisfies Module;
}

/** Reports, people and bans. */
function deskRoutes({ reports, decisions }: ReportsServices, desk: OperatorDesk): Route[] {
  return serve(operatorCalls, {
    listOperatorReports: async ({ actor, query }) => pageReply(await reports.ofOperators(actor, query)),
    getOperatorReport: ({ actor, params }) => reports.getForOperator(actor, params.id),
    decideOperatorReport: ({ actor, params, body }) => decisions.decideAsOperator(actor, params.id, body),
    searchUsers: async ({ actor, query }) => pageReply(await desk.users(actor, query)),
    signOutUser: async ({ actor, params, body }) => ({ ended: await desk.signOut(actor, params.id, body.tokens) }),
    async mailPasswordReset({ actor, params }) {
      await desk.mailReset(actor, params.id);
      return done;
    },
    async setUserTier({ actor, params, body }) {
      await desk.setTier(actor, params.id, body.tier);
      return done;
    },
    async suspendUser({ actor, params, body }) {
      await desk.suspend(actor, params.id, body);
      return done;
    },
    async endSuspension({ actor, params }) {
      await desk.unsuspend(actor, params.id);
      return done;
    },
    listInstanceBans: async ({ actor, query }) => pageReply(await desk.bansFor(actor, query)),
    listOperatorAudit: async ({ actor, query }) => pageReply(await desk.log(actor, query)),
    banFromInstance: ({ actor, body }) => desk.ban(actor, body),
    async liftInstanceBan({ actor, params }) {
      await desk.lift(actor, params.id);
      return done;
    },
  });
}

/** What is seen of the installation. */
function watchRoutes(
  { operators, database, settings }: Context & AccountsServices,
  cluster: ClusterView,
  installation: Installation,
): Route[] {
  return serve(operatorWatchCalls, {
    async getInstallation({ actor }) {
      await operators.require(actor);
      return installation.overview();
    },
    async listNodes({ actor }) {
      await operators.require(actor);
      return cluster.nodes();
    },
    async getMetrics({ actor, query }) {
      await operators.require(actor);
      return { nodes: await cluster.measured(query.after) };
    },
    async getStorageInUse({ actor }) {
      await operators.require(actor);
      return installation.storage();
    },
    async listOperatedServers({ actor, query }) {
      await operators.require(actor);
      return pageReply(await listServers(database, query));
    },
    async listSettings({ actor }) {
      await operators.require(actor);
      return settingsInForce(settings);
    },
  });
}

/** The queue of jobs, and trials. */
function taskRoutes(context: Context & AccountsServices & PushServices, jobs: JobDesk): Route[] {
  const { operators, pushTrials } = context;
  return serve(operatorTaskCalls, {
    async listJobKinds({ actor }) {
      await operators.require(actor);
      return jobs.kinds();
    },
    async listDeadJobs({ actor, query }) {
      await operators.require(actor);
      return pageReply(await jobs.dead(query));
    },
    async retryDeadJobs({ actor }) {
      await operators.require(actor);
      return { count: await jobs.retry(actor, null) };
    },
    async retryDeadJob({ actor, params }) {
      await operators.require(actor);
      await jobs.retry(actor, params.id);
      return done;
    },
    async discardDeadJob({ actor, params }) {
      await operators.require(actor);
      await jobs.discard(actor, params.id);
      return done;
    },
    async tryMail({ actor }) {
      await operators.require(actor);
      return tryMail(context, actor);
    },
    async tryPushes({ actor }) {
      await operators.require(actor);
      return pushTrials.run(actor);
    },
  });
}
