# sandlot in a container: see docs/docker.md.
FROM node:24-slim AS build
WORKDIR /src
COPY . .
RUN npm ci \
 && npm run release:binary -- --out /release \
 && mv /release/* /out \
 && mkdir /data

# glibc and libstdc++, and neither a shell nor a package manager.
FROM gcr.io/distroless/cc-debian12:nonroot
COPY --from=build /out/sandlot /usr/bin/sandlot
COPY --from=build /out/LICENSE /out/LICENSE.node /out/THIRD-PARTY-NOTICES.txt /usr/share/doc/sandlot/
COPY --from=build --chown=nonroot:nonroot /data /data
USER nonroot
WORKDIR /data
VOLUME /data
EXPOSE 4010
HEALTHCHECK --interval=5s --timeout=5s --start-period=10s CMD ["sandlot", "wait", "--ready", "--timeout", "2s"]
ENTRYPOINT ["sandlot"]
CMD ["start", "--host", "0.0.0.0"]
