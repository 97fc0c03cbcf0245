export const reportKinds = ['message', 'user', 'server', 'app'] as const;
export type ReportKind = (typeof reportKinds)[number];

export const moderatorActions = ['dismiss', 'delete', 'timeout', 'kick', 'ban'] as const;
type ModeratorAction = (typeof moderatorActions)[number];

export const operatorActions = ['dismiss', 'delete', 'suspend', 'ban'] as const;
type OperatorAction = (typeof operatorActions)[number];

export type ReportAction = ModeratorAction | OperatorAction;

/** What can be decided about each kind of thing (contract §5). Moderators decide nothing about whole servers. */
export const decisions: Record<ReportKind, { moderators: ModeratorAction[]; operators: OperatorAction[] }> = {
  message: {
    moderators: ['dismiss', 'delete', 'timeout', 'kick', 'ban'],
    operators: ['dismiss', 'delete', 'suspend', 'ban'],
  },
  user: { moderators: ['dismiss', 'timeout', 'kick', 'ban'], operators: ['dismiss', 'suspend', 'ban'] },
  server: { moderators: [], operators: ['dismiss', 'delete'] },
  app: { moderators: ['dismiss', 'delete'], operators: ['dismiss', 'delete'] },
};
