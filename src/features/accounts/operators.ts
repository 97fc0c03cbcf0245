import type { Actor } from '../../contract/actor.ts';
import { AppError } from '../../contract/errors.ts';
import { operatorCapability } from '../../contract/operator.ts';
import type { Database } from '../../database/database.ts';
import { readIsOperator } from './operators.table.ts';
import { ownSession } from './sessions/session.service.ts';

/** Who operates the installation from within (contract §3). */
export class Operators {
  private readonly database: Pick<Database, 'rows'>;

  constructor(database: Pick<Database, 'rows'>) {
    this.database = database;
  }

  /**
   * An operator with a session: never a program. It is read anew each time, since nothing here is done often.
   * @throws AppError FORBIDDEN naming the capability, INSUFFICIENT_PAT_SCOPE
   */
  async require(actor: Actor): Promise<void> {
    ownSession(actor);
    if (await readIsOperator(this.database.rows, actor.userId)) return;
    throw new AppError('FORBIDDEN', {
      message: `This takes the capability "${operatorCapability}", which the operator of this server grants.`,
      extra: { capability: operatorCapability },
    });
  }
}
