/** Finds the open and the completed cases of a domain. */
export const casesOfDomain = `
DROP INDEX IF EXISTS cases_open;
CREATE INDEX IF NOT EXISTS cases_of_domain ON brokerage_cases (environment, domain, status);
`;
