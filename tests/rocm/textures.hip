/* SPDX-License-Identifier: MIT */
/* Textures and surfaces of HIP, compared with the host: a line a check. The host
 * filters as the programming guide of textures says, with weights of 8 bits. */
#include <hip/hip_runtime.h>

#include <cmath>
#include <cstdio>
#include <cstring>
#include <type_traits>
#include <vector>

static const int WIDTH = 37, HEIGHT = 21, DEPTH = 6, POINTS = 512;

static bool good(hipError_t status)
{
  if (status != hipSuccess)
    fprintf(stderr, "%s\n", hipGetErrorString(status));
  return status == hipSuccess;
}

static void report(const char *what, bool right)
{
  printf("%s %s\n", what, right ? "ok" : "wrong");
}

struct Texture {
  hipArray_t array = nullptr;
  hipTextureObject_t object = 0;
};

/* The header of HIP 5.2.3 calls the channels of uchar4 signed. */
template <class T>
static hipChannelFormatDesc channels()
{
  return std::is_same<T, uchar4>::value
             ? hipCreateChannelDesc(8, 8, 8, 8, hipChannelFormatKindUnsigned)
             : hipCreateChannelDesc<T>();
}

/* A texture over a copy of `texels`: of one layer, several, or a volume. */
template <class T>
static Texture texture_make(const std::vector<T> &texels, int width, int height,
                       int depth, unsigned flags, hipTextureDesc how)
{
  Texture t;
  hipChannelFormatDesc format = channels<T>();
  hipResourceDesc resource = {};
  if (depth > 0) {
    hipMemcpy3DParms copy = {};
    good(hipMalloc3DArray(&t.array, &format,
                          make_hipExtent(width, height, depth), flags));
    copy.srcPtr = make_hipPitchedPtr(const_cast<T *>(texels.data()),
                                     width * sizeof(T), width, height);
    copy.dstArray = t.array;
    copy.extent = make_hipExtent(width, height, depth);
    copy.kind = hipMemcpyHostToDevice;
    good(hipMemcpy3D(&copy));
  } else {
    good(hipMallocArray(&t.array, &format, width, height));
    good(hipMemcpy2DToArray(t.array, 0, 0, texels.data(), width * sizeof(T),
                            width * sizeof(T), height, hipMemcpyHostToDevice));
  }
  resource.resType = hipResourceTypeArray;
  resource.res.array.array = t.array;
  good(hipCreateTextureObject(&t.object, &resource, &how, nullptr));
  return t;
}

static void destroy(Texture t)
{
  good(hipDestroyTextureObject(t.object));
  good(hipFreeArray(t.array));
}

static hipTextureDesc how(hipTextureAddressMode address,
                          hipTextureFilterMode filter, bool normalized)
{
  hipTextureDesc desc = {};
  for (auto &mode : desc.addressMode)
    mode = address;
  desc.filterMode = filter;
  desc.readMode = hipReadModeElementType;
  desc.normalizedCoords = normalized;
  return desc;
}

/* ---- two dimensions ---- */

__global__ void sample2d(hipTextureObject_t from, const float2 *at, float *out)
{
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = tex2D<float>(from, at[i].x, at[i].y);
}

static int place(hipTextureAddressMode mode, int i, int size)
{
  const int period = 2 * size, n = ((i % period) + period) % period;
  switch (mode) {
  case hipAddressModeWrap:
    return n % size;
  case hipAddressModeMirror:
    return n < size ? n : period - 1 - n;
  case hipAddressModeClamp:
    return i < 0 ? 0 : i >= size ? size - 1 : i;
  default:
    return i < 0 || i >= size ? -1 : i;
  }
}

static double texel(const std::vector<float> &texels,
                    hipTextureAddressMode mode, int x, int y)
{
  const int i = place(mode, x, WIDTH), j = place(mode, y, HEIGHT);
  return i < 0 || j < 0 ? 0 : (double)texels[j * WIDTH + i];
}

static double expected(const std::vector<float> &texels,
                       const hipTextureDesc &desc, double u, double v)
{
  const hipTextureAddressMode mode = desc.addressMode[0];
  if (desc.filterMode == hipFilterModePoint)
    return texel(texels, mode, (int)floor(u), (int)floor(v));
  const double x = floor(u - 0.5), y = floor(v - 0.5);
  const double a = u - 0.5 - x, b = v - 0.5 - y;
  const int i = (int)x, j = (int)y;
  return (1 - b) * ((1 - a) * texel(texels, mode, i, j) +
                    a * texel(texels, mode, i + 1, j)) +
         b * ((1 - a) * texel(texels, mode, i, j + 1) +
              a * texel(texels, mode, i + 1, j + 1));
}

static bool plane(const std::vector<float> &texels, const hipTextureDesc &desc)
{
  std::vector<float2> at(POINTS);
  std::vector<double> u(POINTS), v(POINTS);
  std::vector<float> got(POINTS);
  float2 *points;
  float *out;
  for (int i = 0; i < POINTS; i++) {
    u[i] = ((i * 7919) % (WIDTH * 3 * 256) - WIDTH * 256) / 256.0;
    v[i] = ((i * 6101) % (HEIGHT * 3 * 256) - HEIGHT * 256) / 256.0;
    at[i] = desc.normalizedCoords
                ? make_float2((float)(u[i] / WIDTH), (float)(v[i] / HEIGHT))
                : make_float2((float)u[i], (float)v[i]);
  }
  Texture t = texture_make(texels, WIDTH, HEIGHT, 0, 0, desc);
  good(hipMalloc(&points, POINTS * sizeof *points));
  good(hipMalloc(&out, POINTS * sizeof *out));
  good(hipMemcpy(points, at.data(), POINTS * sizeof *points,
                 hipMemcpyHostToDevice));
  sample2d<<<POINTS / 64, 64>>>(t.object, points, out);
  good(hipMemcpy(got.data(), out, POINTS * sizeof *out, hipMemcpyDeviceToHost));
  bool right = true;
  for (int i = 0; i < POINTS; i++)
    right &= got[i] == (float)expected(texels, desc, u[i], v[i]);
  good(hipFree(points));
  good(hipFree(out));
  destroy(t);
  return right;
}

static void planes()
{
  std::vector<float> texels(WIDTH * HEIGHT);
  for (size_t i = 0; i < texels.size(); i++)
    texels[i] = (float)((i * 2654435761u) >> 20);
  const struct {
    const char *name;
    hipTextureAddressMode mode;
    bool normalized;
  } modes[] = {{"clamp", hipAddressModeClamp, false},
               {"border", hipAddressModeBorder, false},
               {"wrap", hipAddressModeWrap, true},
               {"mirror", hipAddressModeMirror, true}};
  for (const auto &m : modes) {
    char name[64];
    snprintf(name, sizeof name, "points by %s", m.name);
    report(name, plane(texels, how(m.mode, hipFilterModePoint, m.normalized)));
    snprintf(name, sizeof name, "linear by %s", m.name);
    report(name, plane(texels, how(m.mode, hipFilterModeLinear, m.normalized)));
  }
}

/* ---- other shapes ---- */

__global__ void volume(hipTextureObject_t from, float *out)
{
  const int x = threadIdx.x, y = blockIdx.x, z = blockIdx.y;
  out[(z * HEIGHT + y) * WIDTH + x] =
      tex3D<float>(from, x + 0.5f, y + 0.5f, z + 0.5f);
}

__global__ void layers(hipTextureObject_t from, float *out)
{
  const int x = threadIdx.x, y = blockIdx.x, z = blockIdx.y;
  out[(z * HEIGHT + y) * WIDTH + x] =
      tex2DLayered<float>(from, x + 0.5f, y + 0.5f, z);
}

static bool copied(void (*kernel)(hipTextureObject_t, float *), unsigned flags)
{
  std::vector<float> texels(WIDTH * HEIGHT * DEPTH), got(texels.size());
  float *out;
  for (size_t i = 0; i < texels.size(); i++)
    texels[i] = (float)i;
  Texture t = texture_make(texels, WIDTH, HEIGHT, DEPTH, flags,
                      how(hipAddressModeClamp, hipFilterModePoint, false));
  good(hipMalloc(&out, got.size() * sizeof *out));
  kernel<<<dim3(HEIGHT, DEPTH), WIDTH>>>(t.object, out);
  good(hipMemcpy(got.data(), out, got.size() * sizeof *out,
                 hipMemcpyDeviceToHost));
  good(hipFree(out));
  destroy(t);
  return got == texels;
}

/* ---- other elements ---- */

__global__ void colours(hipTextureObject_t from, float4 *out)
{
  const int x = threadIdx.x, y = blockIdx.x;
  out[y * WIDTH + x] = tex2D<float4>(from, x + 0.5f, y + 0.5f);
}

static bool bytes_as_floats()
{
  std::vector<uchar4> texels(WIDTH * HEIGHT);
  std::vector<float4> got(texels.size());
  float4 *out;
  for (size_t i = 0; i < texels.size(); i++)
    texels[i] = make_uchar4(i & 255, (i * 3) & 255, (i * 7) & 255, 255);
  hipTextureDesc desc = how(hipAddressModeClamp, hipFilterModePoint, false);
  desc.readMode = hipReadModeNormalizedFloat;
  Texture t = texture_make(texels, WIDTH, HEIGHT, 0, 0, desc);
  good(hipMalloc(&out, got.size() * sizeof *out));
  colours<<<HEIGHT, WIDTH>>>(t.object, out);
  good(hipMemcpy(got.data(), out, got.size() * sizeof *out,
                 hipMemcpyDeviceToHost));
  bool right = true;
  for (size_t i = 0; i < texels.size(); i++)
    right &= got[i].x == texels[i].x / 255.0f &&
             got[i].y == texels[i].y / 255.0f &&
             got[i].z == texels[i].z / 255.0f && got[i].w == 1;
  good(hipFree(out));
  destroy(t);
  return right;
}

__global__ void fetch(hipTextureObject_t from, int4 *out, int count)
{
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count)
    out[i] = tex1Dfetch<int4>(from, i);
}

static bool linear_memory()
{
  const int count = 1000;
  std::vector<int4> texels(count), got(count);
  int4 *in, *out;
  hipTextureObject_t object;
  hipResourceDesc resource = {};
  hipTextureDesc desc = {};
  for (int i = 0; i < count; i++)
    texels[i] = make_int4(i, -i, i * i, 1 << (i % 31));
  good(hipMalloc(&in, count * sizeof *in));
  good(hipMalloc(&out, count * sizeof *out));
  good(hipMemcpy(in, texels.data(), count * sizeof *in, hipMemcpyHostToDevice));
  resource.resType = hipResourceTypeLinear;
  resource.res.linear.devPtr = in;
  resource.res.linear.desc = hipCreateChannelDesc<int4>();
  resource.res.linear.sizeInBytes = count * sizeof *in;
  good(hipCreateTextureObject(&object, &resource, &desc, nullptr));
  fetch<<<(count + 63) / 64, 64>>>(object, out, count);
  good(hipMemcpy(got.data(), out, count * sizeof *out, hipMemcpyDeviceToHost));
  good(hipDestroyTextureObject(object));
  good(hipFree(in));
  good(hipFree(out));
  return memcmp(got.data(), texels.data(), count * sizeof(int4)) == 0;
}

/* ---- surfaces: HIP 5.2.3 converts integers of theirs to floats ---- */

__global__ void transpose(hipSurfaceObject_t from, hipSurfaceObject_t to)
{
  const int x = threadIdx.x, y = blockIdx.x;
  float value;
  surf2Dread(&value, from, x * sizeof value, y);
  surf2Dwrite(2 * value + 1, to, y * (int)sizeof value, x);
}

static bool surfaces()
{
  std::vector<float> texels(WIDTH * HEIGHT), got(texels.size());
  hipArray_t arrays[2];
  hipSurfaceObject_t objects[2];
  hipChannelFormatDesc format = hipCreateChannelDesc<float>();
  for (size_t i = 0; i < texels.size(); i++)
    texels[i] = (float)i;
  good(hipMallocArray(&arrays[0], &format, WIDTH, HEIGHT));
  good(hipMallocArray(&arrays[1], &format, HEIGHT, WIDTH));
  good(hipMemcpy2DToArray(arrays[0], 0, 0, texels.data(), WIDTH * sizeof(float),
                          WIDTH * sizeof(float), HEIGHT, hipMemcpyHostToDevice));
  for (int i = 0; i < 2; i++) {
    hipResourceDesc resource = {};
    resource.resType = hipResourceTypeArray;
    resource.res.array.array = arrays[i];
    good(hipCreateSurfaceObject(&objects[i], &resource));
  }
  transpose<<<HEIGHT, WIDTH>>>(objects[0], objects[1]);
  good(hipMemcpy2DFromArray(got.data(), HEIGHT * sizeof(float), arrays[1], 0, 0,
                            HEIGHT * sizeof(float), WIDTH,
                            hipMemcpyDeviceToHost));
  bool right = true;
  for (int y = 0; y < HEIGHT; y++)
    for (int x = 0; x < WIDTH; x++)
      right &= got[x * HEIGHT + y] == 2 * texels[y * WIDTH + x] + 1;
  for (int i = 0; i < 2; i++) {
    good(hipDestroySurfaceObject(objects[i]));
    good(hipFreeArray(arrays[i]));
  }
  return right;
}

int main()
{
  planes();
  report("a volume", copied(volume, hipArrayDefault));
  report("layers", copied(layers, hipArrayLayered));
  report("bytes as floats", bytes_as_floats());
  report("elements of linear memory", linear_memory());
  report("surfaces", surfaces());
  return 0;
}
