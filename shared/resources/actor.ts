import type { Actor } from '../domain/changes/change-context.ts';
import { nullable, object, text } from '../schemas/schema.ts';

/** Builds the schema of who made a change. */
export const actorSchema = (description: string) =>
  object(
    {
      kind: text(
        '`user`, `team`, `organization`, `site`, `run`, `service`, `workload-identity` or `identity-provider`.',
        {
          examples: ['user'],
        },
      ),
      id: nullable(
        text(
          'That of a service is the name of a function of the deployment, such as `state-content`, which reads uploaded state. Null for a team that the caller may not see.',
        ),
      ),
      name: nullable(text('Name at the time of the change.')),
    },
    { description },
  );

/** An actor of a change, as a caller sees it. */
export interface VisibleActor {
  readonly kind: string;
  readonly id: string | null;
  readonly name: string | null;
}

/** Reduces an actor to what a caller may see. @param seesTeam tells whether the caller sees a team, by its id. */
export const visibleActor = ({ kind, id, name }: Actor, seesTeam: (team: string) => boolean): VisibleActor =>
  kind === 'team' && !seesTeam(id) ? { kind, id: null, name: null } : { kind, id, name: name ?? null };
