import type { ServerRecord } from '../../../../client/index.ts';
import { pathTo, type ServerSection } from '../../state/router.ts';
import { isAtLeast } from '../../state/servers.ts';
import type { Permission } from '../../state/standing.ts';
import type { IconName } from '../parts/Icon.tsx';
import { Page } from '../parts/Page.tsx';
import { useApp } from '../useApp.ts';
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
import { ServerHome } from './ServerHome.tsx';
import { ownStanding, useRoles } from './useRoles.ts';

interface Section {
  section: ServerSection;
  label: string;
  icon: IconName;
  forAdmins: boolean;
  forModerators?: true;
  /** For those whose roles have it. */
  needs?: Permission;
}

const sections: Section[] = [
  { section: 'overview', label: 'Overview', icon: 'settings', forAdmins: true },
  { section: 'members', label: 'Members', icon: 'friends', forAdmins: false },
  { section: 'roles', label: 'Roles', icon: 'key', forAdmins: false, needs: 'role:manage' },
  { section: 'channels', label: 'Channels', icon: 'hash', forAdmins: true },
  { section: 'messages', label: 'Messages', icon: 'chat', forAdmins: true },
  { section: 'invites', label: 'Invitations', icon: 'link', forAdmins: false },
  { section: 'agents', label: 'Agents', icon: 'agent', forAdmins: false },
  { section: 'filters', label: 'Filters', icon: 'block', forAdmins: true },
  { section: 'held', label: 'Held messages', icon: 'shield', forAdmins: false, forModerators: true },
  { section: 'reports', label: 'Reports', icon: 'shield', forAdmins: false, forModerators: true },
  { section: 'audit', label: 'Audit log', icon: 'shield', forAdmins: true },
];

/** The settings of a server, as far as the user's role allows. */
export function Manage({ serverId, section }: { serverId: string; section: ServerSection }) {
  const app = useApp();
  const server = app.servers.current.value;
  useRoles(server);
  if (!server) return <ServerHome serverId={serverId} />;
  const { permissions } = ownStanding(app, server);
  const open = sections.filter(
    ({ forAdmins, forModerators, needs }) =>
      (!needs || permissions.has(needs)) &&
      (!forAdmins || isAtLeast(server.role, 'admin')) &&
      (!forModerators || isAtLeast(server.role, 'moderator')),
  );
  const here = open.find((one) => one.section === section) ?? open[0];
  const tabs = open.map(({ section, label, icon }) => ({
    href: pathTo.manage(serverId, section),
    label,
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
