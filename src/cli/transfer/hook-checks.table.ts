import { maxHooks } from '../../contract/hook.ts';

const imported = "hooks h JOIN imported i ON i.kind = 'hooks' AND i.id = h.id";

/** Incoming webhooks that a file must not have, as queries that find them. */
export const wrongHooks: [query: string, sentence: string][] = [
  [
    // Whoever has its address writes as its user.
    `SELECT h.id FROM ${imported} JOIN users u ON u.id = h.user_id LEFT JOIN users maker ON maker.id = h.created_by
     WHERE NOT u.is_bot OR u.deleted_at IS NOT NULL OR maker.is_bot OR EXISTS (SELECT FROM agents a WHERE a.user_id = u.id)`,
    'hooks.jsonl: an incoming webhook writes as a person or as a bot that someone has, or was made by a bot.',
  ],
  [
    `SELECT h.channel_id FROM ${imported} GROUP BY 1 HAVING count(*) > ${maxHooks}`,
    `hooks.jsonl: a channel has more than ${maxHooks} incoming webhooks.`,
  ],
];
