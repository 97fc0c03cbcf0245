import type { ServerRecord } from '../../../../client/index.ts';
import type { Message } from '../../../../languages/catalogue.ts';
import type { Permission } from '../../state/rights.ts';
import type { ServerSection } from '../../state/router.ts';
import type { IconName } from '../parts/Icon.tsx';
import type { AppState } from '../useApp.ts';

interface Section {
  section: ServerSection;
  label: Message;
  icon: IconName;
  /** It is for those who have one of these; absent: for everyone. */
  needs?: readonly Permission[];
}

const sections: readonly Section[] = [
  { section: 'overview', label: 'Overview', icon: 'settings', needs: ['server:update'] },
  { section: 'members', label: 'Members', icon: 'friends' },
  { section: 'roles', label: 'Roles', icon: 'key', needs: ['role:manage'] },
  {
    section: 'channels',
    label: 'Channels',
    icon: 'hash',
    needs: [
      'channel:create',
      'channel:order',
      'channel:update',
      'channel:archive',
      'channel:delete',
      'channel:override',
      'retention:set',
    ],
  },
  { section: 'messages', label: 'Messages', icon: 'chat', needs: ['retention:set', 'server:update'] },
  { section: 'invites', label: 'Invitations', icon: 'link' },
  { section: 'agents', label: 'Bots', icon: 'agent' },
  { section: 'emoji', label: 'Emoji', icon: 'smile', needs: ['emoji:manage'] },
  { section: 'filters', label: 'Filters', icon: 'block', needs: ['filter:manage'] },
  { section: 'held', label: 'Held messages', icon: 'clock', needs: ['held:decide'] },
  { section: 'reports', label: 'Reports', icon: 'shield', needs: ['report:decide'] },
  { section: 'audit', label: 'Audit log', icon: 'file', needs: ['audit:read'] },
];

/** The settings of a server that the user may see. */
export const sectionsFor = ({ rights }: AppState, server: ServerRecord): readonly Section[] =>
  sections.filter(({ needs }) => !needs || needs.some((permission) => rights.may(server, permission)));

/** The first of them that are not for everyone. */
export const firstTask = (app: AppState, server: ServerRecord): ServerSection | undefined =>
  sectionsFor(app, server).find(({ needs }) => needs)?.section;
