import type { ServerRecord } from '../../../../client/index.ts';
import { pathTo, type ServerSection } from '../../state/router.ts';
import { Page } from '../parts/Page.tsx';
import { useApp, useTexts } from '../useApp.ts';
import { AuditLog } from './AuditLog.tsx';
import { Channels } from './Channels.tsx';
import { Filters } from './Filters.tsx';
import { HeldQueue } from './HeldQueue.tsx';
import { Invites } from './Invites.tsx';
import { Keeping } from './Keeping.tsx';
import { Members } from './Members.tsx';
import { Overview } from './Overview.tsx';
import { Reports } from './Reports.tsx';
import { Roles } from './Roles.tsx';
import { ServerAgents } from './ServerAgents.tsx';
import { ServerEmoji } from './ServerEmoji.tsx';
import { ServerHome } from './ServerHome.tsx';
import { sectionsFor } from './sections.ts';
import { useRoles } from './useRoles.ts';

/** The settings of a server, as far as the user may see them. */
export function Manage({ serverId, section }: { serverId: string; section: ServerSection }) {
  const { t } = useTexts();
  const app = useApp();
  const server = app.servers.current.value;
  useRoles(server);
  if (!server) return <ServerHome serverId={serverId} />;
  const open = sectionsFor(app, server);
  const here = open.find((one) => one.section === section) ?? open[0];
  const tabs = open.map(({ section, label, icon }) => ({
    href: pathTo.manage(serverId, section),
    label: t(label),
    icon,
    current: section === here?.section,
  }));
  return (
    <Page title={server.name} back={pathTo.server(serverId)} tabs={tabs}>
      {here && <Content key={server.id} server={server} section={here.section} />}
    </Page>
  );
}

function Content({ server, section }: { server: ServerRecord; section: ServerSection }) {
  switch (section) {
    case 'overview':
      return <Overview server={server} />;
    case 'members':
      return <Members server={server} />;
    case 'roles':
      return <Roles server={server} />;
    case 'channels':
      return <Channels server={server} />;
    case 'messages':
      return <Keeping server={server} />;
    case 'invites':
      return <Invites server={server} />;
    case 'agents':
      return <ServerAgents server={server} />;
    case 'emoji':
      return <ServerEmoji server={server} />;
    case 'filters':
      return <Filters server={server} />;
    case 'held':
      return <HeldQueue server={server} />;
    case 'reports':
      return <Reports server={server} />;
    case 'audit':
      return <AuditLog server={server} />;
  }
}
