/**
 * The credential that a fresh sandbox has (decisions, "Authentication"), so that examples and CI need not
 * read any output.
 */
export const DEFAULT_CREDENTIAL = {
  keyId: 'dmk_sandbox_local',
  secret: 'dms_sandbox_local_not_a_secret',
  partnerId: 'ptr_local',
  partner: 'local',
} as const;
