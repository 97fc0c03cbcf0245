import { auditAction } from './audit-action.ts';

export const serverUpdate = auditAction({
  name: 'server.update',
  summary: 'The server was changed.',
  fields: [
    ...(['name', 'slug', 'description', 'iconUrl', 'bannerUrl', 'homepageHtml', 'isPublic'] as const),
    ...(['mark', 'accentColor'] as const),
    ...([
      'requireSecondFactor',
      'holdNewMemberLinksHours',
      'keepMessagesDays',
      'keepEditHistory',
      'linkPreviews',
    ] as const),
  ],
});

export const serverDelete = auditAction({
  name: 'server.delete',
  summary: 'The server was deleted.',
  fields: ['name', 'slug'],
});

export const serverRenewInvite = auditAction({
  name: 'server.renew-invite',
  summary: 'The invite code of the server was replaced.',
});
