# For those who build images with docker. `cargo xtask image` makes the same image without it.
#
#     cargo xtask dist
#     docker build --tag multicall .
FROM scratch
COPY target/dist/multicall /bin/multicall
RUN ["/bin/multicall", "--install", "-s", "/bin"]

ARG VERSION=unknown
ARG REVISION=unknown
LABEL org.opencontainers.image.title="multicall" \
      org.opencontainers.image.description="cat and yes at the speed of the kernel, in one small static program" \
      org.opencontainers.image.version="$VERSION" \
      org.opencontainers.image.revision="$REVISION" \
      org.opencontainers.image.licenses="MIT OR Apache-2.0"
USER 65534:65534
ENTRYPOINT ["/bin/multicall"]
